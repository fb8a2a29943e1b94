"""The keyboard alone reaches panels, pickers and results; the focus is seen and comes back."""

from __future__ import annotations

import json

import pytest
from chat_pages import open_chat, prompt
from chats import Slow, approve, open_and_run, write_notebook
from lab import Lab
from playwright.sync_api import Locator, expect
from saved_turns import result, write_turn
from scripted_server import call, text
from team import dispatch, play, report


def press(lab: Lab, *keys: str) -> None:
    for key in keys:
        lab.page.keyboard.press(key)


def by_keys(lab: Lab, target: Locator, key: str = "Tab", most: int = 60) -> None:
    """Press a key until an element has the focus, and see that it shows it."""
    expect(target).to_be_visible()
    for _ in range(most):
        if target.evaluate("node => node === document.activeElement"):
            assert target.evaluate("node => node.matches(':focus-visible')")
            return
        press(lab, key)
    raise AssertionError(f"{most} times {key} did not reach {target}")


def palette(lab: Lab, name: str) -> None:
    """Run a command by its name in the palette."""
    press(lab, "ControlOrMeta+Shift+c")
    expect(lab.page.locator(".lm-CommandPalette-input")).to_be_focused()
    lab.page.keyboard.type(name)
    expect(lab.page.locator(".lm-CommandPalette-item.lm-mod-active")).to_contain_text(name)
    press(lab, "Enter")


@pytest.fixture(autouse=True)
def closed_again(lab):
    """The side panels are as before for the next test."""
    yield
    lab.command("filebrowser:activate")
    lab.page.evaluate("() => window.jupyterapp.shell.collapseRight()")


def test_the_panel_context_is_opened_a_cell_excluded_and_the_focus_comes_back(
    lab, lab_root, screenshot
):
    open_chat(lab, lab_root, "keys-context.ipynb", prompt("a", "One"), prompt("b", "Two"))
    lab.command("notebook:move-cursor-down")
    palette(lab, "Show Context")
    panel = lab.page.locator(".msgbook-Context")
    expect(panel).to_be_focused()
    screenshot("panel")

    box = panel.get_by_role("checkbox").first
    by_keys(lab, box)
    press(lab, "Space")
    expect(box).not_to_be_checked()
    assert lab.cells()[0]["metadata"]["msgbook"] == {"history": "exclude"}
    screenshot("excluded")

    press(lab, "Escape")
    expect(lab.notebook.locator(":focus")).to_have_count(1)


def test_a_question_is_answered_in_the_panel(lab, lab_root, model_server, screenshot):
    model_server.answers = [call("mkdir", {"path": "keys-made"}), text("Made.")]
    cell = open_and_run(lab, lab_root / "keys-approval.ipynb", "Make a folder")
    expect(approve(cell)).to_be_enabled()
    palette(lab, "Show Approvals")
    panel = lab.page.locator(".msgbook-Approvals")
    expect(panel).to_be_focused()
    expect(approve(panel)).to_be_enabled()
    by_keys(lab, approve(panel))
    screenshot("question")
    press(lab, "Enter")

    expect(cell.get_by_text("Made.", exact=True)).to_be_visible()
    assert (lab_root / "keys-made").is_dir()


def test_a_sub_agent_is_stopped_and_its_conversation_reached(
    lab, lab_root, model_server, screenshot
):
    parent = [dispatch("Wait for rain", "Read the parser"), text("All have reported.")]
    waiting = Slow("I wait", " no more")
    model_server.choose = play(parent, {"Wait": waiting.answer, "Read": report("No bugs.")})
    (lab_root / "keys-team" / ".msgbook").mkdir(parents=True)
    write_notebook(lab_root / "keys-team" / "team.ipynb", "Ask the team")
    lab.open("keys-team/team.ipynb")
    lab.wait_for_kernel()
    lab.run(0)
    expect(approve(lab.cell(0))).to_be_enabled()
    press(lab, "Escape", "ControlOrMeta+Shift+y")
    by_keys(lab, approve(lab.cell(0)))
    press(lab, "Enter")
    expect(lab.cell(0).locator("summary:focus")).to_have_count(1)

    palette(lab, "Show Conversations")
    panel = lab.page.locator(".msgbook-AgentsPanel")
    expect(panel).to_be_focused()
    by_keys(lab, panel.get_by_role("button", name="Stop Wait for rain"))
    screenshot("stop")
    press(lab, "Enter")
    expect(lab.cell(0).get_by_text("All have reported.", exact=True)).to_be_visible()


def test_an_agent_and_a_model_are_chosen_and_the_focus_comes_back(
    lab, lab_root, model_server, screenshot
):
    model_server.models = ["small", "large"]
    open_chat(lab, lab_root, "keys-pickers.ipynb", prompt("a", "One"))
    for name, chosen in {"agent": "assistant", "model": "large"}.items():
        button = lab.notebook.get_by_role("button", name=f"{name.capitalize()} of this notebook")
        toolbar = lab.notebook.locator(".jp-NotebookPanel-toolbar")
        expect(button).to_be_visible()
        lab.notebook.locator(".jp-Notebook").focus()
        for _ in range(20):
            if toolbar.locator(":focus").count():
                break
            press(lab, "Shift+Tab")
        by_keys(lab, button, "ArrowRight")
        screenshot(name)
        press(lab, "Enter")
        options = lab.page.get_by_role("dialog").get_by_role("option")
        expect(options.first).to_be_visible()
        lab.page.keyboard.type(chosen)
        expect(options.first).to_contain_text(chosen)
        press(lab, "Enter")
        expect(button).to_contain_text(chosen)
        expect(button).to_be_focused()


def test_a_long_result_is_searched_and_a_json_tree_opened(lab, lab_root, screenshot):
    lines = "\n".join(f"line {n}: {'needle' if n == 700 else 'hay'}" for n in range(1000))
    tree = json.dumps({"users": [{"name": "Ada"}], "count": 2})
    write_turn(lab_root / "keys-rich.ipynb", *result(tree), *result(lines))
    lab.open("keys-rich.ipynb")
    lab.wait_for_kernel()
    results = lab.cell(0).locator(".msgbook-Result")
    lab.notebook.locator(".jp-Notebook").focus()

    by_keys(lab, results.nth(0).locator("summary").first)
    press(lab, "Enter")
    by_keys(lab, results.nth(0).locator("summary", has_text="users:"))
    press(lab, "Enter")
    expect(results.nth(0).get_by_text("[1]")).to_be_visible()
    screenshot("tree")
    by_keys(lab, results.nth(1).locator("summary").first)
    press(lab, "Enter")
    by_keys(lab, results.nth(1).get_by_role("searchbox"))
    lab.page.keyboard.type("needle")
    expect(results.nth(1).get_by_role("status")).to_have_text("1 match")
    screenshot("search")
    assert len(lab.cells()) == 1
