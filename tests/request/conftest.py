"""Conversations over an engine and a scripted server."""

from __future__ import annotations

from pathlib import Path

import pytest
from scripted_server import ScriptedServer
from talk import Talk


@pytest.fixture
def talk(server: ScriptedServer, tmp_path: Path) -> Talk:
    """A notebook in an empty folder."""
    folder = tmp_path / "notebook"
    folder.mkdir()
    return Talk(server, folder)
