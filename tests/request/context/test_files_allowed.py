"""References of an agent with `allowed_uris`."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from msgbook.approval import ApprovalRequest, Roots
from msgbook.request.context.files import FileSources
from msgbook.request.context.sources import Matches, ReferencedText, SourceError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    for path in ("src/a.py", "src/.env.py", "docs/guide/b.py", "docs/c.py", "d.py"):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(path)
    (folder / "src" / "out.py").symlink_to("../d.py")
    (folder / "into.py").symlink_to("src/a.py")
    return folder


def held(folder: Path, *allowed: str) -> Roots:
    return Roots(folder, allowed=[folder / name for name in allowed])


def read(roots: Roots, path: str) -> ReferencedText:
    return asyncio.run(FileSources(roots).read(path, None, nested=False))


def globbed(roots: Roots, pattern: str) -> Matches:
    return asyncio.run(FileSources(roots).glob(pattern))


def test_an_allowed_file_is_read_also_through_a_link(folder: Path) -> None:
    roots = held(folder, "src")

    assert read(roots, "src/a.py").text == "src/a.py"
    assert read(roots, "into.py").text == "src/a.py"
    assert asyncio.run(FileSources(roots).bytes("src/a.py", 100)) == b"src/a.py"


@pytest.mark.parametrize("path", ["d.py", "src/out.py", "docs/c.py", "docs", ".", "src/../d.py"])
def test_what_is_left_out_is_not_read_unless_somebody_allows_it(folder: Path, path: str) -> None:
    asked = []

    async def allow(real: Path, needed: ApprovalRequest) -> bool:
        asked.append(needed.reason)
        return True

    roots = held(folder, "src", "docs/guide")

    with pytest.raises(SourceError, match="it is outside the folders that this agent may use"):
        read(roots, path)
    with pytest.raises(SourceError, match="it is outside the folders that this agent may use"):
        asyncio.run(FileSources(roots, allow).read(path, None, nested=True))
    assert asyncio.run(FileSources(roots, allow).read(path, None, nested=False)).text
    assert asked == [
        f"it is outside the folders that this agent may use: {(folder / path).resolve()}"
    ]


def test_a_glob_adds_the_allowed_files_and_counts_the_others(folder: Path) -> None:
    matches = globbed(held(folder, "src", "docs/guide"), "**/*.py")

    assert matches.paths == ["docs/guide/b.py", "src/a.py"]
    assert matches.note == (
        "left out 1 file that may hold secrets; left out 2 files outside the agent's allowed_uris"
    )
    assert globbed(held(folder, "src"), "src/a.py") == Matches(["src/a.py"])


def test_without_allowed_folders_a_glob_adds_nothing(folder: Path) -> None:
    with pytest.raises(SourceError, match="outside the folders that this agent may use"):
        globbed(held(folder), "**/*.py")
