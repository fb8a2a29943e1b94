"""Pictures that a conversation names beside itself."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import nbformat
import pytest
from exported_notebooks import PIXEL

from msgbook_format.exporters import MsgHTMLExporter, MsgMarkdownExporter, MsgNotebookExporter

DATA = f"data:image/png;base64,{PIXEL}"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "chats"
    (folder / ".hidden").mkdir(parents=True)
    (folder / "my pictures").mkdir()
    pixel = base64.b64decode(PIXEL)
    for name in ("a.png", "my pictures/b.png", ".hidden/c.png", "../outside.png"):
        (folder / name).write_bytes(pixel)
    (folder / "linked.png").symlink_to(tmp_path / "outside.png")
    (folder / "notes.png").write_text("a secret")
    return folder


def exported(exporter: Any, folder: Path, text: str) -> str:
    file = folder / "chat.msg.md"
    file.write_text(text, encoding="utf-8")
    result: str = exporter.from_filename(str(file))[0]
    return result


def prompt(text: str) -> str:
    return f"# %% [^q]\n\n[^q]: [markdown]\n\n{text}\n"


@pytest.mark.parametrize("exporter", [MsgHTMLExporter(), MsgMarkdownExporter()])
@pytest.mark.parametrize(
    "target", ["a.png", "./a.png 'A title'", "my%20pictures/b.png", "<my pictures/b.png>"]
)
def test_a_picture_of_the_folder_is_in_the_export(exporter, target, folder):
    assert DATA in exported(exporter, folder, prompt(f"Look: ![a pixel]({target})."))


def test_a_picture_of_a_note_is_attached_to_it_in_a_notebook(folder):
    note = "# %%\n\n[markdown] cell=markdown\n\n![one](a.png) ![two](my%20pictures/b.png)\n"

    book = nbformat.reads(exported(MsgNotebookExporter(), folder, note), as_version=4)

    (cell,) = book.cells
    assert DATA in cell.source or [*cell.attachments.values()] == [{"image/png": PIXEL}] * 2


@pytest.mark.parametrize(
    "target",
    [
        "../outside.png",
        "linked.png",
        ".hidden/c.png",
        "notes.png",
        "none.png",
        "my pictures",
        "{folder}/a.png",
        "file://{folder}/a.png",
        "https://e.org/a.png",
        "a\0.png",
    ],
)
def test_no_other_file_is_read(target, folder):
    text = prompt(f"![x]({target.format(folder=folder)})")

    assert "base64" not in exported(MsgMarkdownExporter(), folder, text)


def test_pictures_in_code_and_in_answers_stay_as_they_are(folder):
    text = prompt("`![x](a.png)`\n\n```\n![x](a.png)\n```")
    text += "\n# %%% [^q-1]\n\n[^q-1]: [assistant] n=1\n\n![x](a.png)\n"

    page = exported(MsgMarkdownExporter(), folder, text)

    assert "base64" not in page
    assert "```text\n![x](a.png)\n```" in page
    assert "\n[x](a.png)\n" in page


def test_nothing_is_read_in_the_home_folder(folder, monkeypatch):
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))

    assert "base64" not in exported(MsgMarkdownExporter(), folder, prompt("![x](a.png)"))


def test_a_picture_that_is_too_large_stays_a_link(folder):
    with (folder / "large.png").open("wb") as file:
        file.write(base64.b64decode(PIXEL))
        file.truncate(60_000_000)

    page = exported(MsgMarkdownExporter(), folder, prompt("![x](large.png) ![y](a.png)"))

    assert "[x](large.png)" in page
    assert DATA in page
