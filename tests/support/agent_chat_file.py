"""What tests of `tests/cli/test_convert.py` and of its neighbour in tests/integration share."""

from __future__ import annotations

from pathlib import Path

import pytest

FIXTURES = Path(__file__).parents[1] / "format" / "agent_context" / "fixtures"


@pytest.fixture
def chat(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "chat.mtm"
    path.write_bytes((FIXTURES / "all_keys.mtm").read_bytes())
    return path
