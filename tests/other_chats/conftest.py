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
