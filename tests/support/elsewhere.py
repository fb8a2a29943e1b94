"""Chats where the page runs besides plain JupyterLab: what has to be installed, and one whole turn."""

from __future__ import annotations

from pathlib import Path

import pytest
from chats import answer, approve, saved_turn
from lab import Lab
from playwright.sync_api import expect
from scripted_server import ScriptedServer, call, text

ROOT = Path(__file__).parents[2]


def needs(*folders: Path) -> pytest.MarkDecorator:
    """Skip a test where one of the folders that the Makefile installs is missing."""
    missing = [f"{folder.name}/.installed" for folder in folders if not folder.is_dir()]
    return pytest.mark.skipif(bool(missing), reason=f"make {' '.join(missing)} installs it")


def chat(lab: Lab, root: Path, model_server: ScriptedServer) -> None:
    """Ask in an open notebook for a file, approve it, and see the answer saved."""
    (root / "made.txt").unlink(missing_ok=True)
    model_server.answers = [
        call("write", {"path": "made.txt", "content": "made\n"}),
        text("I **wrote** it."),
    ]
    lab.wait_for_kernel()
    lab.run(0)
    answer(approve(lab.cell(0)))
    expect(lab.cell(0).get_by_text("I wrote it.")).to_be_visible()
    expect(lab.cell(0).locator("[data-status=done]")).to_be_visible()
    assert (root / "made.txt").read_text() == "made\n"
    lab.save()
    assert saved_turn(root / "chat.ipynb")["status"] == "done"
