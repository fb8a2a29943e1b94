"""What is in view after a message was run."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from chats import SPEC, Slow
from lab import Lab
from playwright.sync_api import expect
from scripted_server import ScriptedServer

import msgbook_format
from msgbook_format.turn import bundle

WORDS = "It has so many words that a narrow window shows them on several lines. " * 3

LAST_ANSWER = "document.querySelector('[data-windowed-list-index=\"9\"]')?.offsetHeight"


@pytest.fixture
def chat(lab: Lab, lab_root: Path, request: pytest.FixtureRequest) -> Path:
    """A chat of ten answers, each higher than the view."""
    cells = []
    for number in range(10):
        said = "\n\n".join(f"Old {number}, paragraph {n}. {WORDS}" for n in range(50))
        turn = {
            "version": 1,
            "status": "done",
            "agent": "assistant",
            "blocks": [{"type": "text", "step": 1, "text": said}],
        }
        output = nbformat.v4.new_output("display_data", data=bundle(turn))
        cells.append(nbformat.v4.new_code_cell(f"Question {number}", outputs=[output]))
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": SPEC})
    path = lab_root / f"{request.node.name}.msg.md"
    msgbook_format.write(notebook, path)
    lab.open(path.name)
    lab.wait_for_kernel()
    return path


def test_the_new_answer_of_an_earlier_message_is_in_view(
    lab: Lab, chat: Path, model_server: ScriptedServer, screenshot
) -> None:
    more = "".join(f"\n\nNew paragraph {n}." for n in range(50))
    slow = Slow("New head.", more)
    model_server.answers = [slow.answer]
    lab.reveal(4, "start")
    lab.run(4)

    expect(lab.cell(4).get_by_text("New head.")).to_be_in_viewport()
    screenshot("begun")
    slow.go()
    expect(lab.cell(4).get_by_text("New paragraph 49.")).to_be_in_viewport()


def test_the_view_stays_with_a_person_who_scrolls_before_the_answer_begins(
    lab: Lab, chat: Path, model_server: ScriptedServer
) -> None:
    waiting, second = Slow("Not yet.", " Now."), Slow("New head.", "The end.")
    model_server.answers = [waiting.answer, second.answer]
    lab.reveal(3, "start")
    lab.run(3)
    expect(lab.cell(3).get_by_text("Not yet.")).to_be_in_viewport()
    lab.run(4)
    lab.notebook.locator(".jp-WindowedPanel-outer").hover()
    lab.page.mouse.wheel(0, 3000)
    expect(lab.cell(4)).not_to_be_in_viewport()
    waiting.go()
    lab.page.wait_for_function(
        "() => window.jupyterapp.shell.currentWidget.content.model.toJSON()"
        ".cells[4].outputs.some(({ data }) => JSON.stringify(data).includes('New head.'))"
    )

    expect(lab.cell(4).get_by_text("New head.")).not_to_be_in_viewport()
    second.go()


def test_the_end_of_a_chat_that_a_person_has_scrolled_to_is_in_view_in_a_wider_window(
    lab: Lab, chat: Path, screenshot
) -> None:
    lab.command("msgbook:open-context")
    end = lab.cell(9).get_by_text("Old 9, paragraph 49.")
    expect(end).to_be_in_viewport()
    with lab.width(700):
        lab.page.wait_for_function(f"() => {LAST_ANSWER} > 12_000")
        lab.notebook.locator(".jp-WindowedPanel-outer").hover()
        lab.page.mouse.wheel(0, 200_000)
        expect(lab.cell(10)).not_to_be_in_viewport()
        lab.page.mouse.wheel(0, -800)
        expect(lab.cell(10)).to_be_in_viewport()
        screenshot("narrow")
    # Its answer is lower now by more than what is in view.
    lab.page.wait_for_function(f"() => {LAST_ANSWER} < 8000")
    screenshot("wide")
    expect(end).to_be_in_viewport()
    expect(lab.cell(10)).to_be_in_viewport()
