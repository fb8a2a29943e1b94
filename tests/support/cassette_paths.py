"""A conversation of one prompt and the path of its cassette, which lie in different folders."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    path = tmp_path / "chats" / "chat.msg.md"
    path.parent.mkdir()
    path.write_text("# %% [^one]\n\nhi\n", "utf-8")
    return path


@pytest.fixture
def cassette(tmp_path: Path) -> Path:
    return tmp_path / "chat.cassette.jsonl"
