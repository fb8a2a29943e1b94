"""What tests of `tests/format/agent_states/test_running.py` and of its neighbour in tests/integration share."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def chat(tmp_path):
    path = tmp_path / "chat.msg.md"
    path.write_text("")
    return path


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]
