"""Stale turns are marked where they stand, say which cell has changed, and run again."""

from __future__ import annotations

import re

import pytest
from chats import write_notebook
from lab import Lab
from playwright.sync_api import Locator, expect
from scripted_server import text


def answered(lab: Lab, cell: int) -> None:
    expect(lab.cell(cell).locator(".msgbook-Header[data-status=done]")).to_be_visible()
    expect(lab.cell(cell).locator(".jp-InputPrompt")).not_to_contain_text("*")


def marks(lab: Lab) -> Locator:
    return lab.notebook.locator(".msgbook-Stale")


def mark(lab: Lab, cell: int) -> Locator:
    return lab.cell(cell).locator(".msgbook-Stale")


@pytest.fixture
def chat(lab, lab_root, model_server, request):
    """Three prompts that have been answered, and a fourth."""
    model_server.answers = [text(f"Answer {number}.") for number in range(1, 20)]
    name = f"{request.node.name}.ipynb"
    write_notebook(lab_root / name, "One", "Two", "Three", "Four")
    lab.open(name)
    lab.wait_for_kernel()
    for number in range(3):
        lab.run(number)
        answered(lab, number)
    return name


@pytest.mark.smoke
def test_an_edit_marks_the_turns_below_and_running_them_again_ends_it(lab, chat, screenshot):
    expect(marks(lab)).to_have_count(0)
    lab.type_in(1, "Two, but otherwise")

    expect(marks(lab)).to_have_count(2)
    expect(mark(lab, 1)).to_contain_text("its prompt has changed")
    expect(mark(lab, 2)).to_contain_text("cell 2 has changed")
    screenshot("marks")
    with lab.dark():
        screenshot("marks-dark")
    size = lab.page.viewport_size
    lab.page.set_viewport_size({"width": 700, "height": 900})
    screenshot("700")
    lab.page.set_viewport_size(size)

    lab.type_in(1, "Two")
    expect(marks(lab)).to_have_count(0)
    lab.type_in(1, "Two again")
    expect(marks(lab)).to_have_count(2)
    mark(lab, 1).get_by_role("button", name="Run again").click()
    expect(lab.cell(1)).to_contain_text("Answer 4.")
    expect(marks(lab)).to_have_count(1)
    expect(mark(lab, 2)).to_contain_text("cell 2 has changed")
    mark(lab, 2).get_by_role("button", name="Show cell 2").click()
    expect(lab.cell(1)).to_have_class(re.compile("jp-mod-active"))
    mark(lab, 2).get_by_role("button", name="Run again").click()
    expect(lab.cell(2)).to_contain_text("Answer 5.")
    expect(marks(lab)).to_have_count(0)


def test_a_cell_that_is_excluded_is_called_so_and_the_opened_chat_knows_it(lab, chat, screenshot):
    lab.cell(1).locator(".jp-InputPrompt").click()
    lab.command("msgbook:toggle-history")
    expect(marks(lab)).to_have_count(1)
    expect(mark(lab, 2)).to_contain_text("This answer is stale: cell 2 was excluded.")
    screenshot("light")
    with lab.dark():
        screenshot("dark")
    with lab.width(700):
        screenshot("700")
    lab.save()

    lab.load(chat)
    lab.wait_for_kernel()
    expect(mark(lab, 2)).to_contain_text("This answer is stale: cell 2 was excluded.")
    screenshot("opened")


def test_all_stale_turns_run_again_from_the_top(lab, chat, model_server):
    lab.type_in(0, "One, but otherwise")
    expect(marks(lab)).to_have_count(3)
    asked = len(model_server.requests)

    mark(lab, 0).get_by_role("button", name="Run all 3 stale").click()

    expect(lab.cell(2)).to_contain_text("Answer 6.")
    expect(marks(lab)).to_have_count(0)
    assert len(model_server.requests) == asked + 3


def test_marks_follow_deleted_and_moved_cells_and_undo(lab, chat):
    # Asked again as somebody types it: its text has changed, but before its answer.
    lab.type_in(1, "Two, typed here")
    expect(marks(lab)).to_have_count(2)
    mark(lab, 1).get_by_role("button", name="Run all 2 stale").click()
    expect(lab.cell(2)).to_contain_text("Answer 5.")
    expect(marks(lab)).to_have_count(0)

    lab.cell(0).locator(".jp-InputPrompt").click()
    lab.command("notebook:delete-cell")
    expect(marks(lab)).to_have_count(2)
    expect(mark(lab, 0)).to_contain_text("added, moved or deleted")
    lab.command("notebook:undo-cell-action")
    expect(marks(lab)).to_have_count(0)

    lab.cell(0).locator(".jp-InputPrompt").click()
    lab.command("notebook:move-cell-down")
    expect(marks(lab)).to_have_count(3)
    lab.command("notebook:move-cell-up")
    expect(marks(lab)).to_have_count(0)


def test_typing_below_the_last_turn_asks_nothing_and_an_opened_chat_is_judged(lab, chat, lab_root):
    # Once this is judged, nothing is under way.
    lab.type_in(2, "Three, or so")
    expect(marks(lab)).to_have_count(1)
    lab.type_in(2, "Three")
    expect(marks(lab)).to_have_count(0)
    lab.page.evaluate(
        """() => {
            const { kernel } = window.jupyterapp.shell.currentWidget.sessionContext.session;
            window.staleAsked = [];
            kernel.anyMessage.connect((_, { direction, msg }) => {
                const { data } = msg.content;
                if (direction === 'send' && data?.name === 'stale.list') {
                    window.staleAsked.push(data.params.cell_id);
                }
            });
            const start = window.setTimeout;
            window.pauses = { begun: 0, over: 0 };
            window.setTimeout = (act, delay, ...more) => {
                window.pauses.begun += delay === 800;
                return start(() => { act(); window.pauses.over += delay === 800; }, delay, ...more);
            };
        }"""
    )
    lab.type_in(3, "Four, and more")
    # The page's pause before it would ask is over.
    lab.page.wait_for_function("() => window.pauses.over > 0")
    assert lab.page.evaluate("() => window.staleAsked") == []
    lab.type_in(2, "Three, but otherwise")
    expect(marks(lab)).to_have_count(1)
    assert lab.page.evaluate("() => window.staleAsked") == [lab.cells()[2]["id"]]
    lab.save()

    lab.load(chat)
    lab.wait_for_kernel()
    expect(marks(lab)).to_have_count(1)
    expect(mark(lab, 2)).to_contain_text(
        "This answer is stale: a cell from 2 to 3 has changed or moved."
    )
