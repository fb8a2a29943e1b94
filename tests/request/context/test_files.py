"""Files and folders that references name, on a real disk."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from msgbook.approval import ApprovalRequest, Roots
from msgbook.request.context.files import FILE_LIMIT, NAMES, FileSources
from msgbook.request.context.references import resolve_references
from msgbook.request.context.sources import ReferencedText, SourceError
from msgbook.request.context.tags import Lines


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "a.py").write_text("one\ntwo\nthree\n")
    (folder / "src" / "b.py").write_text("b\n")
    (folder / "README.md").write_text("@[src/a.py]")
    (tmp_path / "outside.txt").write_text("outside")
    return folder


def read(
    folder: Path, path: str, lines: Lines | None = None, *, nested: bool = False
) -> ReferencedText:
    return asyncio.run(FileSources(Roots(folder)).read(path, lines, nested=nested))


def globbed(folder: Path, pattern: str) -> list[str]:
    return asyncio.run(FileSources(Roots(folder)).glob(pattern)).paths


def test_files_lines_and_folders(folder: Path) -> None:
    assert read(folder, "src/a.py") == ReferencedText("one\ntwo\nthree\n", "source")
    assert read(folder, "README.md").kind == "prose"
    assert read(folder, "src/a.py", Lines(2, 2)).text == "two"
    assert read(folder, "src/a.py", Lines(2, 99)).text == "two\nthree"
    assert (
        read(folder, "src/")
        == read(folder, "src")
        == ReferencedText("[FILE] a.py\n[FILE] b.py", "literal")
    )
    assert read(folder, ".").text == "[FILE] README.md\n[DIR] src"


@pytest.mark.parametrize(
    "path", ["none.py", "src/a.py/x", "https://a.b/c", "a\0b", "\ud800", "x" * 9999]
)
def test_a_missing_file_has_a_reason(folder: Path, path: str) -> None:
    assert not asyncio.run(FileSources(Roots(folder)).exists(path))
    with pytest.raises(SourceError):
        read(folder, path)


def test_lines_that_are_not_there_say_how_many_there_are(folder: Path) -> None:
    with pytest.raises(SourceError, match="the file has 3 lines"):
        read(folder, "src/a.py", Lines(4, 5))
    with pytest.raises(SourceError, match="no lines"):
        read(folder, "src", Lines(1, 2))


def test_files_in_other_encodings_are_text(folder: Path) -> None:
    (folder / "w.txt").write_bytes("caf\u00e9\r\nx".encode("utf-16"))
    (folder / "l.txt").write_bytes("caf\u00e9".encode("latin-1"))

    assert read(folder, "w.txt").text == "caf\u00e9\nx"
    assert read(folder, "l.txt").text == "caf\u00e9"


def test_binary_files_are_named(folder: Path) -> None:
    (folder / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    (folder / "b").write_bytes(bytes(range(256)) * 100)

    picture = read(folder, "a.png")
    assert (picture.text, picture.kind) == ("(binary file, image/png, 10 bytes)", "literal")
    assert "![](path)" in picture.note
    assert read(folder, "b").text == "(binary file, unknown type, 25,600 bytes)"
    assert read(folder, "b", Lines(1, 2)).kind == "literal"


def test_a_reference_to_ten_gigabytes_reads_none_of_them(folder: Path) -> None:
    with (folder / "huge.log").open("wb") as file:
        file.write(b"a log\n" * 10_000)
        file.truncate(10_000_000_000)

    referenced = read(folder, "huge.log")

    assert "10,000,000,000 bytes: too large" in referenced.text
    assert read(folder, "huge.log", Lines(2, 3)).text == "a log\na log"


def test_lines_of_a_large_file_are_read(folder: Path) -> None:
    (folder / "large.log").write_text("line\n" * (FILE_LIMIT // 5) + "last\n")

    assert read(folder, "large.log").kind == "literal"
    assert read(folder, "large.log", Lines(400_001, 400_001)).text == "last"


@pytest.mark.skipif(os.name == "nt", reason="POSIX alone has pipes in folders")
def test_lines_that_begin_too_far_down_are_no_empty_text(folder: Path) -> None:
    with (folder / "huge.txt").open("wb") as file:
        file.write(b"one\ntwo\n")
        file.truncate(10 * 1000**3)
    (folder / "empty.txt").touch()

    assert read(folder, "huge.txt", Lines(1, 2)).text == "one\ntwo"
    with pytest.raises(SourceError, match="its first 50,000,000 bytes have 2 lines"):
        read(folder, "huge.txt", Lines(2, 3))
    with pytest.raises(SourceError, match="the file has 0 lines"):
        read(folder, "empty.txt", Lines(1, 1))


def test_a_pipe_is_refused(folder: Path) -> None:
    os.mkfifo(folder / "pipe")

    with pytest.raises(SourceError, match="not a regular file"):
        read(folder, "pipe")


def test_approval_is_asked_for_only_for_references_in_the_prompt(folder: Path) -> None:
    (folder / ".env").write_text("KEY=1")
    (folder / "link").symlink_to("../outside.txt")
    asked = []

    async def allow(real: Path, needed: ApprovalRequest) -> bool:
        asked.append(real.name)
        return real.name == ".env"

    files = FileSources(Roots(folder), allow)

    assert asyncio.run(files.read(".env", None, nested=False)).text == "KEY=1"
    with pytest.raises(SourceError, match="outside the notebook's folder"):
        asyncio.run(files.read("link", None, nested=False))
    with pytest.raises(SourceError, match="needs approval"):
        asyncio.run(files.read(".env", None, nested=True))
    assert asked == [".env", "outside.txt"]


def test_without_anyone_to_ask_approval_is_denied(folder: Path) -> None:
    with pytest.raises(SourceError, match="needs approval"):
        read(folder, "../outside.txt")


def test_globs_leave_out_ignored_files_and_secrets(folder: Path) -> None:
    (folder / ".gitignore").write_text("*.log\n!keep.log\n/build/\n")
    (folder / "src" / ".gitignore").write_text("b.py\n!d.log\n")
    for name in ("a.log", "keep.log", "src/d.log", ".env.py", "src/c.txt"):
        (folder / name).write_text("")
    (folder / "build").mkdir()
    (folder / "build" / "x.py").write_text("")
    (folder / "other").mkdir()
    (folder / "other" / "build").mkdir()
    (folder / "other" / "build" / "y.py").write_text("")
    (folder / "loop").symlink_to(".")

    matches = asyncio.run(FileSources(Roots(folder)).glob("**/*.py"))

    assert matches.paths == ["other/build/y.py", "src/a.py"]
    assert matches.note == "left out 1 file that may hold secrets"
    assert globbed(folder, "**/*.log") == ["keep.log", "src/d.log"]
    assert read(folder, "src").text.split("\n")[0] == "[FILE] .gitignore"
    assert "b.py" not in read(folder, "src").text


def test_a_path_that_is_written_out_is_read_though_git_ignores_it(folder: Path) -> None:
    (folder / ".gitignore").write_text("src/")

    assert read(folder, "src/b.py").text == "b\n"
    assert globbed(folder, "**/*.py") == []


@pytest.mark.parametrize("pattern", ["/etc/*", "../*", "*a*b*c*d"])
def test_patterns_stay_below_the_folder_and_simple(folder: Path, pattern: str) -> None:
    with pytest.raises(SourceError):
        globbed(folder, pattern)


def test_hostile_patterns_of_a_project_are_left_out(folder: Path) -> None:
    (folder / ".gitignore").write_text("*a" * 30 + "\nb.py\n")
    (folder / ("a" * 200)).write_text("")

    assert globbed(folder, "src/*.py") == ["src/a.py"]


def test_a_folder_of_very_many_names_is_cut(folder: Path) -> None:
    for number in range(NAMES + 5):
        (folder / "src" / f"{number:05}").touch()

    lines = read(folder, "src").text.split("\n")

    assert lines[-1] == "[... 7 more names]"
    assert len(lines) == NAMES + 1


class DiskOnly(FileSources):
    """All sources, of which only files are there."""

    async def cell(self, cell_id: str) -> ReferencedText:
        raise SourceError("no cells here")

    async def python(self, name: str) -> str:
        raise SourceError("no Python here")

    async def tool(self, name: str, arguments: str) -> ReferencedText:
        raise SourceError("no tools here")


def test_references_are_resolved_on_disk(folder: Path) -> None:
    (folder / "docs").mkdir()
    (folder / "docs" / "x.md").write_text("see @[src/b.py] and @[../outside.txt]")

    resolved = asyncio.run(
        resolve_references("@[README.md] @docs/x.md @[src/*.py]", {}, DiskOnly(Roots(folder)))
    )

    assert list(resolved.files) == ["README.md", "src/a.py", "docs/x.md", "src/b.py"]
    assert [notice.text.split(":")[0] for notice in resolved.notices] == ["docs/x.md"]


@pytest.mark.parametrize("codec", ["utf-8", "utf-16", "cp1252"])
def test_lines_that_end_with_cr_alone_are_lines(folder, codec):
    (folder / "old.txt").write_bytes("öne\rtwo\rthree\r".encode(codec))

    assert read(folder, "old.txt").text == "öne\ntwo\nthree\n"
    assert read(folder, "old.txt", Lines(2, 3)).text == "two\nthree"
    with pytest.raises(SourceError, match="the file has 3 lines"):
        read(folder, "old.txt", Lines(4, 5))
