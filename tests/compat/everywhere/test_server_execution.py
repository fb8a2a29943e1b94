"""Where the server runs cells and writes their outputs (jupyter-server-nbmodel), a turn stands there once."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from chats import write_notebook
from lab import running_lab
from playwright.sync_api import expect
from scripted_server import call, text

from msgbook_format.turn import TURN_MIME

ROOT = Path(__file__).parents[3]
INSTALLED = [ROOT / ".nbmodel", ROOT / ".collaboration"]


@pytest.mark.skipif(
    not all(folder.is_dir() for folder in INSTALLED),
    reason="make .nbmodel/.installed .collaboration/.installed installs it",
)
def test_a_turn_stands_once_and_nothing_of_it_is_lost(
    root, log, settings, new_tab, model_server, screenshots
):
    def paths(*parts: str) -> str:
        return os.pathsep.join(str(folder.joinpath(*parts)) for folder in INSTALLED)

    installed = {
        "PYTHONPATH": paths(),
        "JUPYTER_PATH": paths("share", "jupyter"),
        "JUPYTER_CONFIG_PATH": paths("etc", "jupyter"),
    }
    write_notebook(root / "chat.ipynb", "Write a file", "And now?")
    model_server.answers = [
        call("write", {"path": "made.txt", "content": "made\n"}),
        text("I **wrote** it."),
        text("Nothing more."),
    ]
    with running_lab(root, log, {**settings, **installed}) as url:
        lab = new_tab(url)
        with lab.page.expect_response(lambda r: "/execute" in r.url):
            lab.load("chat.ipynb")
            lab.wait_for_kernel()
            lab.run(0)
        # The server sends no cell with its requests, so the kernel asks as any client is asked.
        question = lab.cell(0).locator(".jp-Stdin-input")
        expect(lab.cell(0)).to_contain_text("write needs your approval")
        question.fill("y")
        question.press("Enter")
        expect(lab.cell(0).get_by_text("I wrote it.")).to_be_visible()
        expect(lab.cell(0).locator("[data-status=done]")).to_have_count(1)
        lab.run(1)
        expect(lab.cell(1).get_by_text("Nothing more.")).to_be_visible()
        expect(lab.cell(1).locator("[data-status=done]")).to_have_count(1)
        screenshots(lab, "turns")
        cells = lab.cells()

    for cell in cells[:2]:
        turns = [o["data"][TURN_MIME] for o in cell["outputs"]]
        assert [turn["status"] for turn in turns] == ["done"]
    assert "I **wrote** it." in json.dumps(model_server.messages())
