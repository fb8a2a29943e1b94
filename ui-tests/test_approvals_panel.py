"""The panel Approvals: the questions of all notebooks, and the rules with what they have allowed."""

from __future__ import annotations

import re

import pytest
from chats import answer, approve, open_and_run
from lab import Lab
from playwright.sync_api import Locator, expect
from scripted_server import call, text


@pytest.fixture
def panel(lab: Lab) -> Locator:
    return lab.page.locator(".msgbook-Approvals")


def tab(lab: Lab) -> Locator:
    return lab.page.locator(".lm-TabBar-tab[data-id=msgbook-approvals]")


def pictures(lab: Lab, screenshot, name: str) -> None:
    """Take pictures in the light and the dark theme and in a narrow window."""
    expect(lab.page.locator(".msgbook-mod-deaf")).to_have_count(0)
    screenshot(name)
    with lab.dark():
        screenshot(f"{name}-dark")
    size = lab.page.viewport_size
    lab.page.set_viewport_size({"width": 700, "height": 900})
    screenshot(f"{name}-700")
    lab.page.set_viewport_size(size)


def test_the_questions_of_all_notebooks_are_counted_and_answered_in_one_panel(
    lab, lab_root, model_server, panel, screenshot
):
    model_server.answers = [call("mkdir", {"path": "folder-one"})]
    open_and_run(lab, lab_root / "one.ipynb", "Make one")
    expect(approve(lab.cell(0))).to_be_visible()
    expect(tab(lab)).to_have_attribute("data-msgbook-count", "1")
    model_server.answers = [call("write", {"path": "two.txt", "content": "Two\n"})]
    open_and_run(lab, lab_root / "two.ipynb", "Make two")
    expect(approve(lab.cell(0))).to_be_visible()
    expect(tab(lab)).to_have_attribute("data-msgbook-count", "2")

    lab.command("msgbook:open-approvals")
    questions = panel.locator(".msgbook-Question")
    expect(questions).to_have_count(2)
    expect(questions.first).to_contain_text("one.ipynb")
    expect(questions.last.locator(".msgbook-Diff-added")).to_contain_text("+Two")
    why = questions.last.get_by_role("textbox", name="Reason for a denial")
    why.fill("not that")
    pictures(lab, screenshot, "questions")
    expect(why).to_have_value("not that")
    expect(lab.cell(0).get_by_role("textbox", name="Reason for a denial")).to_have_value("not that")
    lab.command("msgbook:open-context")
    lab.command("msgbook:open-approvals")
    expect(why).to_have_value("not that")

    model_server.answers = [text("Done.")]
    questions.first.get_by_role("button", name="Go to the cell in one.ipynb").click()
    expect(lab.cell(0).locator(".msgbook-Approval")).to_be_focused()
    answer(approve(questions.first))
    expect(lab.cell(0).get_by_text("Done.", exact=True)).to_be_visible()
    assert (lab_root / "folder-one").is_dir()
    expect(questions).to_have_count(1)
    expect(tab(lab)).to_have_attribute("data-msgbook-count", "1")

    lab.open("two.ipynb")
    answer(lab.cell(0).get_by_role("button", name="Deny", exact=True))
    expect(lab.cell(0).get_by_text("Done.", exact=True)).to_be_visible()
    expect(questions).to_have_count(0)
    expect(panel.get_by_text("No call waits for your approval.")).to_be_visible()
    expect(tab(lab)).not_to_have_attribute("data-msgbook-count", re.compile("."))
    assert lab.console == []


def test_a_rule_is_written_refused_kept_counted_changed_and_deleted(
    lab, lab_root, model_server, panel, screenshot
):
    model_server.answers = [
        call("mkdir", {"path": "notes-1"}),
        text("Made."),
        call("mkdir", {"path": "more-1"}),
        text("Made more."),
    ]
    cell = open_and_run(lab, lab_root / "rules.ipynb", "Make a folder")
    answer(cell.get_by_role("button", name="Always approve this call"))
    expect(cell.get_by_text("Made.", exact=True)).to_be_visible()
    lab.command("msgbook:open-approvals")
    rules = panel.locator(".msgbook-Rule")
    expect(rules).to_have_count(1)
    expect(rules.first).to_contain_text("from your answer")
    expect(rules.first).to_contain_text("has allowed nothing yet")

    add = panel.get_by_role("button", name="Add a rule")
    add.click()
    expect(panel.get_by_label("Tool")).to_be_focused()
    panel.get_by_label("Tool").fill("shell")
    pictures(lab, screenshot, "form")
    panel.get_by_role("button", name="Save the rule").click()
    expect(panel.get_by_role("alert")).to_contain_text("begins with the name of a program")
    panel.get_by_label("Tool").fill("mkdir")
    panel.get_by_label("Arguments as JSON").fill('{"path": "more-*"}')
    panel.get_by_role("button", name="Save the rule").click()
    expect(rules).to_have_count(2)
    expect(add).to_be_focused()
    expect(panel.get_by_role("alert")).to_have_count(0)

    lab.run(0)
    expect(lab.cell(0).get_by_text("Made more.", exact=True)).to_be_visible()
    assert (lab_root / "more-1").is_dir()
    expect(rules.last).to_contain_text("has allowed 1 call")
    pictures(lab, screenshot, "rules")

    rules.first.get_by_role("button", name="Change the rule for mkdir").click()
    panel.get_by_label("Arguments as JSON").fill('{"path": "other"}')
    panel.get_by_role("button", name="Save the rule").click()
    expect(rules.last).to_contain_text('{"path":"other"}')
    expect(rules.last).to_contain_text("written here")
    for left in (1, 0):
        rules.first.get_by_role("button", name="Delete the rule for mkdir").click()
        expect(rules).to_have_count(left)
        expect(add).to_be_focused()
    assert lab.console == []
