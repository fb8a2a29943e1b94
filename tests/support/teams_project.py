"""What tests of `tests/cli/test_agents.py` and of its neighbour in tests/integration share."""

from __future__ import annotations

import pytest


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".msgbook").mkdir()
    return tmp_path
