"""A page that is loaded anew in mid-turn shows the turn, follows it, and has it when it ends."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from chats import Slow, open_and_run, saved_turn, turn_of
from lab import Lab
from playwright.sync_api import Locator, WebSocketRoute, expect
from scripted_server import ScriptedServer, call, text


def saved_in_mid_turn(lab: Lab, path: Path, model_server: ScriptedServer) -> tuple[Slow, Locator]:
    """A cell whose turn waits for `go`, in a notebook that holds what it has said so far."""
    slow = Slow("Said before the reload.", "")
    model_server.answers = [slow.answer]
    cell = open_and_run(lab, path, "Tell me")
    expect(cell.get_by_text("Said before the reload.")).to_be_visible()
    lab.save()
    return slow, cell


def test_a_turn_goes_on_after_the_page_was_loaded_anew(lab, lab_root, model_server, screenshot):
    slow = Slow("Said before the reload.", " Said after it.")
    model_server.answers = [slow.answer, text("Second.")]
    cell = open_and_run(lab, lab_root / "again.ipynb", "Tell me", "And then?")
    expect(cell.get_by_text("Said before the reload.")).to_be_visible()

    lab.load("again.ipynb")

    expect(cell.get_by_text("Said before the reload.")).to_be_visible()
    expect(cell.locator("[data-status=running]")).to_be_visible()
    expect(cell.locator(".jp-InputPrompt")).to_have_text("[*]:")
    screenshot("reloaded")
    slow.go()
    expect(cell.get_by_text("Said after it.")).to_be_visible()
    expect(cell.locator("[data-status=done]")).to_be_visible()
    expect(cell.locator(".jp-InputPrompt")).not_to_have_text("[*]:")
    lab.save()
    saved = saved_turn(lab_root / "again.ipynb")
    assert (saved["status"], saved["blocks"][-1]["text"]) == (
        "done",
        "Said before the reload. Said after it.",
    )

    lab.run(1)
    expect(lab.cell(1).get_by_text("Second.")).to_be_visible()
    assert [m["content"] for m in model_server.messages()[1:]] == [
        "Tell me",
        "Said before the reload. Said after it.",
        "And then?",
    ]


def test_a_turn_is_not_called_interrupted_while_the_kernel_is_looked_for(
    lab, lab_root, model_server
):
    slow, cell = saved_in_mid_turn(lab, lab_root / "looking.ipynb", model_server)
    lab.page.add_init_script(
        """window.statuses = new Set();
        new MutationObserver(() => {
            for (const { dataset } of document.querySelectorAll('.msgbook-Header')) {
                window.statuses.add(dataset.status);
            }
        }).observe(document, {subtree: true, childList: true, attributes: true});"""
    )

    lab.load("looking.ipynb")

    expect(cell.locator("[data-status=running]")).to_be_visible()
    assert set(lab.page.evaluate("() => [...window.statuses]")) <= {"connecting", "running"}
    slow.go()
    expect(cell.locator("[data-status=done]")).to_be_visible()


def test_a_turn_is_not_called_interrupted_while_the_word_of_the_kernel_is_on_its_way(
    lab, lab_root, model_server
):
    slow, cell = saved_in_mid_turn(lab, lab_root / "far.ipynb", model_server)
    held: list[Callable[[], None]] | None = []

    def route(page_side: WebSocketRoute) -> None:
        def take(message: str | bytes) -> None:
            if held is not None and b"comm_msg" in _bytes(message):
                held.append(lambda: page_side.send(message))
            else:
                page_side.send(message)

        page_side.connect_to_server().on_message(take)

    lab.page.route_web_socket(re.compile("/channels"), route)
    lab.load("far.ipynb")
    # Not until it is idle: it is busy as long as its turn runs.
    lab.page.wait_for_function(
        "() => window.jupyterapp?.shell.currentWidget?.sessionContext"
        "?.session?.kernel?.connectionStatus === 'connected'"
    )

    lab.page.evaluate(
        """() => {
            const { model } = window.jupyterapp.shell.currentWidget.content.widgets[0];
            model.outputs.set(0, model.outputs.get(0).toJSON());
        }"""
    )
    expect(cell.locator(".msgbook-Header")).to_have_attribute("data-status", "connecting")

    messages, held = held, None
    for send in messages:
        send()
    expect(cell.locator("[data-status=running]")).to_be_visible()
    slow.go()
    expect(cell.locator("[data-status=done]")).to_be_visible()


def test_a_turn_that_ended_while_nobody_looked_is_there(lab, lab_root, model_server):
    slow = Slow("Said to somebody.", " Said to nobody.")
    model_server.answers = [slow.answer]
    cell = open_and_run(lab, lab_root / "away.ipynb", "Tell me")
    expect(cell.get_by_text("Said to somebody.")).to_be_visible()

    lab.page.goto("about:blank")
    slow.go()
    assert slow.said.wait(300)
    lab.load("away.ipynb")

    expect(cell.get_by_text("Said to nobody.")).to_be_visible()
    expect(cell.locator("[data-status=done]")).to_be_visible()
    lab.save()
    assert saved_turn(lab_root / "away.ipynb")["status"] == "done"

    cell.locator(".jp-InputPrompt").click()
    lab.command("notebook:clear-cell-output")
    lab.save()
    lab.load("away.ipynb")
    lab.wait_for_kernel()
    expect(cell.locator(".jp-InputPrompt")).to_be_visible()
    assert lab.cells()[0]["outputs"] == []


def test_a_turn_that_is_stopped_after_a_reload_is_saved_as_one_that_was_not_reloaded(
    lab, lab_root, model_server
):
    slow = Slow("Said before the stop.", "")
    model_server.answers = [slow.answer]
    cell = open_and_run(lab, lab_root / "stop-later.ipynb", "Tell me")
    expect(cell.get_by_text("Said before the stop.")).to_be_visible()
    lab.load("stop-later.ipynb")
    expect(cell.locator("[data-status=running]")).to_be_visible()

    lab.notebook.get_by_role("button", name="Interrupt the kernel").click()

    expect(cell.locator("[data-status=interrupted]")).to_be_visible()
    expect(cell.locator(".jp-InputPrompt")).not_to_have_text("[*]:")
    expect(cell.get_by_text("KeyboardInterrupt")).to_be_attached()
    expect(cell.get_by_text("KeyboardInterrupt")).to_be_hidden()
    outputs = [output["output_type"] for output in lab.cells()[0]["outputs"]]
    assert outputs == ["display_data", "error"]
    assert turn_of(lab.cells()[0])["status"] == "interrupted"


def test_a_question_is_asked_again_of_a_page_that_is_loaded_anew(
    lab, lab_root, model_server, screenshot
):
    model_server.answers = [call("mkdir", {"path": "asked-again"}), text("Made.")]
    cell = open_and_run(lab, lab_root / "ask-again.ipynb", "Make a folder")
    approve = cell.get_by_role("button", name="Approve", exact=True)
    expect(approve).to_be_visible()

    lab.load("ask-again.ipynb")

    expect(approve).to_be_visible()
    screenshot("asked-again")
    expect(lab.page.locator(".msgbook-mod-deaf")).to_have_count(0)
    approve.click()
    expect(cell.get_by_text("Made.", exact=True)).to_be_visible()
    expect(cell.locator("[data-status=done]")).to_be_visible()
    assert (lab_root / "asked-again").is_dir()
    assert turn_of(lab.cells()[0])["status"] == "done"


def _bytes(message: str | bytes) -> bytes:
    return message.encode() if isinstance(message, str) else message
