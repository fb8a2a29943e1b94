"""What tests about chats of other programs share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from msgbook.__main__ import main
from msgbook_format import read


class Converter:
    """A folder in which files are converted."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def file(self, name: str, content: Any) -> Path:
        """Write a file; what is not bytes is written as JSON."""
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        return path

    def into(self, name: str, content: Any) -> dict[str, Any]:
        """Convert a file into the folder `out` and return the notebooks there by their file names."""
        path = self.file(name, content)
        assert main(["convert", str(path), "--out", str(self.folder / "out")]) == 0
        return {one.name: read(one) for one in sorted((self.folder / "out").glob("*.md"))}

    def one(self, name: str, content: Any) -> Any:
        """Convert a file with one chat and return its notebook."""
        path = self.file(name, content)
        assert main(["convert", str(path), str(self.folder / "chat.msg.md")]) == 0
        return read(self.folder / "chat.msg.md")


@pytest.fixture
def converter(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return Converter(tmp_path)


@pytest.fixture
def refused(converter, capsys):
    """Convert a file, which has to be refused, and return the error."""

    def convert(name, content):
        path = converter.file(name, content)
        before = sorted(converter.folder.rglob("*"))
        for target in (["--out", "out"], ["new.msg.md"], ["new.json"], ["--to", "openai-jsonl"]):
            assert main(["convert", str(path), *target]) == 2
            shown = capsys.readouterr()
            assert shown.out == ""
            assert "Nothing was written." in shown.err
            assert len(shown.err.splitlines()) == 1
            assert len(shown.err) < 1000
            assert sorted(converter.folder.rglob("*")) == before
        return shown.err

    return convert


@pytest.fixture
def left_out(converter, capsys):
    """Convert a file of which one chat cannot be read, and return what is said of it."""

    def convert(name, content):
        path = converter.file(name, content)
        errors = set()
        for target in (["--out", "out"], ["--to", "openai-jsonl"], ["all.jsonl"]):
            assert main(["convert", str(path), *target]) == 1
            shown = capsys.readouterr()
            (error,) = [line for line in shown.err.splitlines() if "not read: " in line]
            errors.add(error)
        (error,) = errors
        assert error.startswith(f"{path}: not read: ")
        assert len(error) < 1000
        assert len(list((converter.folder / "out").glob("*.md"))) >= 1
        assert (converter.folder / "all.jsonl").read_text().strip()
        return error

    return convert
