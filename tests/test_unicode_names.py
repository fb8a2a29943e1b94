"""Names in another Unicode form than on disk: a Mac writes `ü` as two characters, models and keyboards as one."""

from __future__ import annotations

import asyncio
import base64
import itertools
import os
import shutil
import unicodedata
from pathlib import Path

import pytest
from completion_cells import prompt_scope
from file_calls import FileCalls
from hypothesis import given
from hypothesis import strategies as st

from msgbook.__main__ import main
from msgbook.approval import Roots
from msgbook.kernel.assist.complete import complete
from msgbook.request.context.files import FileSources
from msgbook.request.context.image_encoding import PixelBudget
from msgbook.request.context.images import load_images
from msgbook.request.context.references import resolve_references
from msgbook_format import read
from msgbook_format.links import real_path, spelled_on_disk

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)
NAMES = ["Abschätzung.txt", "Ångström é.txt", "한글 파일.txt", "ガイド.txt", "Ṩố.txt"]
"""Each has other characters in NFC than in NFD."""
FORMS = list(itertools.product(("NFC", "NFD"), repeat=2))
IDS = [f"{disk} on disk, {asked} asked" for disk, asked in FORMS]


def form(which: str, text: str) -> str:
    return unicodedata.normalize(which, text)  # type: ignore[arg-type]


def sources(folder: Path) -> FileSources:
    return FileSources(Roots(folder))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("disk", "asked"), FORMS, ids=IDS)
class TestEachUse:
    def test_reference(self, tmp_path: Path, disk: str, asked: str, name: str) -> None:
        (tmp_path / form(disk, name)).write_text("found")
        tag = f"@[{form(asked, name)}]"

        found = asyncio.run(resolve_references(tag, {}, _all(tmp_path)))

        assert list(found.files.values()) == ["found"]
        assert found.notices == []

    def test_glob_of_references(self, tmp_path: Path, disk: str, asked: str, name: str) -> None:
        (tmp_path / form(disk, name)).write_text("found")
        pattern = "*" + form(asked, name[1:])

        assert asyncio.run(sources(tmp_path).glob(pattern)).paths == [form(disk, name)]

    def test_image(self, tmp_path: Path, disk: str, asked: str, name: str) -> None:
        (tmp_path / form(disk, name)).write_bytes(PNG)

        found = asyncio.run(
            load_images(
                f"![](<{form(asked, name)}>)", sources(tmp_path).bytes, pixels=PixelBudget()
            )
        )

        assert len(found.blobs) == 1
        assert found.notices == []

    def test_tools(self, tmp_path: Path, disk: str, asked: str, name: str) -> None:
        folder = form(disk, "Übersicht é")
        (tmp_path / folder).mkdir()
        (tmp_path / folder / form(disk, name)).write_text("found it\n")
        path = form(asked, f"Übersicht é/{name}")
        files = FileCalls(tmp_path)

        assert files.run("read", path=path) == "found it\n"
        assert form(disk, name) in files.run("glob", pattern=form(asked, f"**/{name}"))
        assert ":1:found it" in files.run("grep", pattern="found", path=path)
        assert ":1:found it" in files.run("grep", pattern="found", glob=form(asked, name))
        files.run_approved("edit", path=path, old="found", new="left")
        assert files.run("read", path=path) == "left it\n"
        files.run_approved("write", path=path, content="new\n")
        files.run_approved("mkdir", path=form(asked, "Übersicht é/more"))

        assert sorted(path.name for path in (tmp_path / folder).iterdir()) == sorted(
            [form(disk, name), "more"]
        )
        assert [path.name for path in tmp_path.iterdir()] == [folder]

    def test_completion(self, tmp_path: Path, disk: str, asked: str, name: str) -> None:
        (tmp_path / form(disk, name)).write_text("found")
        typed = "@[" + form(asked, name)[:3]
        scope = prompt_scope(tmp_path)

        offered = [m.text for m in complete(typed, len(typed), scope).found if m.kind == "file"]

        assert [form("NFC", text) for text in offered] == [form("NFC", name)]

    def test_arguments_of_the_command(
        self, tmp_path: Path, disk: str, asked: str, name: str, capsys
    ) -> None:
        chat = name.replace(".txt", ".msg.md")
        (tmp_path / form(disk, chat)).write_text("# %% [^a]\n\nHello\n")
        path = str(tmp_path / form(asked, chat))

        assert main(["list", path]) == 0
        assert main(["list", f"{path}/a"]) == 0
        assert main(["check", path]) == 0
        assert main(["convert", path, str(tmp_path / "b.ipynb")]) == 0
        assert main(["convert", str(tmp_path / "b.ipynb"), path]) == 2
        assert "exists" in capsys.readouterr().err
        assert len(list(tmp_path.iterdir())) == 2


def _all(folder: Path):
    scope = prompt_scope(folder)
    from msgbook.request import ReferenceSources, deny_all

    return ReferenceSources(Roots(folder), deny_all, [], scope.cell_rule, None, _no_tool)


async def _no_tool(name: str, arguments: str):
    raise AssertionError(name)


@pytest.mark.skipif(shutil.which("rg") is None, reason="ripgrep is another way to search")
def test_ripgrep_finds_the_same(tmp_path: Path) -> None:
    (tmp_path / form("NFD", "Übung.txt")).write_text("found it\n")
    files = FileCalls(tmp_path, ripgrep=shutil.which("rg"))

    assert ":1:found it" in files.run("grep", pattern="found", glob=form("NFC", "Übung.txt"))


def test_a_picture_that_an_output_names(tmp_path: Path) -> None:
    chat = tmp_path / form("NFD", "Übung.msg.md")
    folder = tmp_path / form("NFD", "Übung.files")
    folder.mkdir()
    (folder / form("NFD", "Bildä.png")).write_bytes(PNG)
    name = form("NFC", "Übung.files/Bildä.png")
    text = "# %% [^a]\n\n[^a]: [code]\n\n```python\nplot()\n```\n\n"
    chat.write_text(
        f'{text}# %%% [^a.1]\n[^a.1]:  [python] mime_type="image/png" output_file="{name}" time=now\n'
    )

    output = read(chat).cells[0].outputs[0]

    assert base64.b64decode(output["data"]["image/png"]) == PNG


def test_the_exact_name_wins_when_both_are_there(tmp_path: Path) -> None:
    for which in ("NFC", "NFD"):
        (tmp_path / form(which, "ü.txt")).write_text(which)
    files = FileCalls(tmp_path)

    for which in ("NFC", "NFD"):
        assert files.run("read", path=form(which, "ü.txt")) == which
        files.run_approved("write", path=form(which, "ü.txt"), content=which * 2)
    assert {path.read_text() for path in tmp_path.iterdir()} == {"NFCNFC", "NFDNFD"}


def test_rights_are_decided_on_the_real_path(tmp_path: Path) -> None:
    project, outside = tmp_path / "project", tmp_path / form("NFD", "äußeres")
    project.mkdir()
    outside.mkdir()
    (outside / "x.txt").write_text("x")
    (project / form("NFD", "für.txt")).symlink_to(outside / "x.txt")
    (project / form("NFD", "geheimé")).mkdir()
    (project / form("NFD", "geheimé") / ".env").write_text("KEY=1")
    files = FileCalls(project)

    for path in ("für.txt", "../äußeres/x.txt"):
        needed = files.approval_request("read", path=form("NFC", path))
        assert needed.path == str(outside.resolve() / "x.txt")
    needed = files.approval_request("read", path=form("NFC", "geheimé/.env"))
    assert needed.always_asks
    assert files.run("glob", pattern=form("NFC", "**/x.txt")) == "(no path matches)"


PARTS = st.sampled_from(["a", "ü", "é", "한", "ガ", "plain"])


@given(
    st.lists(PARTS, min_size=1, max_size=5), st.lists(st.sampled_from(["NFC", "NFD"]), min_size=5)
)
def test_a_path_leads_to_the_same_place_in_any_mixture_of_forms(tmp_path_factory, parts, which):
    top = tmp_path_factory.mktemp("top").resolve()
    place = top / "deep" / "er" / "still" / "more" / "down"
    place.mkdir(parents=True)
    start = place
    for part, name in zip(parts, which, strict=False):
        place = place / form(name, part)
        place.mkdir(exist_ok=True)

    other = ["NFD" if name == "NFC" else "NFC" for name in which]
    asked = start.joinpath(*(form(name, part) for part, name in zip(parts, other, strict=False)))

    assert real_path(asked) == spelled_on_disk(asked) == place
    assert real_path(asked / ".." / asked.name) == place
    missing = asked / "none" / "ü"
    assert spelled_on_disk(missing).name == "ü"
    assert not os.path.lexists(spelled_on_disk(missing))


@pytest.mark.parametrize("disk", list(itertools.product(("NFC", "NFD"), repeat=3)))
@pytest.mark.parametrize("asked", ["NFC", "NFD"])
def test_a_folder_of_the_same_name_in_another_form_hides_no_file(tmp_path, disk, asked):
    names = ("é", "ü", "ñ.txt")
    for forms in itertools.product(("NFC", "NFD"), repeat=2):
        tmp_path.joinpath(*map(form, forms, names)).mkdir(parents=True, exist_ok=True)
    file = tmp_path.joinpath(*map(form, disk, names))
    file.write_text("found")

    assert spelled_on_disk(tmp_path.joinpath(*(form(asked, name) for name in names))) == file
    gone = tmp_path.joinpath(*(form(asked, name) for name in ("é", "ü", "ö.txt")))
    assert spelled_on_disk(gone) == gone
