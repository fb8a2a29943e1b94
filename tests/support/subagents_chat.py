"""What tests of `tests/cli/test_run_subagents.py` and of its neighbour in tests/integration share."""

from __future__ import annotations

import pytest

ALLOW = {"MSGBOOK_APPROVAL": "allow"}


@pytest.fixture
def chat(tmp_path):
    path = tmp_path / "chat.msg.md"
    path.write_text("# %% [^q]\n\nask two\n", "utf-8")
    return path
