"""Help while a prompt is written: Tab and Shift+Tab."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from chats import write_notebook
from playwright.sync_api import expect


def write_at_end(lab, text):
    """Type at the end of the first cell, as a person does."""
    lab.cell(0).locator(".cm-content").first.click()
    lab.page.keyboard.press("ControlOrMeta+End")
    lab.page.keyboard.type(text)


@pytest.fixture
def no_list_by_itself(lab) -> Iterator[None]:
    """The list of completions opens only when it is asked for."""
    lab.set("completePrompts", False)
    yield
    lab.set("completePrompts", True)


@pytest.mark.usefixtures("no_list_by_itself")
def test_tab_completes_a_reference_and_shift_tab_shows_what_it_is(lab, lab_root, screenshot):
    folder = lab_root / "writing"
    folder.mkdir(exist_ok=True)
    (folder / "notes.txt").write_text("first line\nsecond line\n")
    (folder / "numbers.csv").write_text("1,2\n")
    (folder / ".env").write_text("KEY=1")
    write_notebook(folder / "chat.ipynb", "")
    lab.open("writing/chat.ipynb")
    lab.wait_for_kernel()

    write_at_end(lab, "😀 See @[n")
    lab.page.keyboard.press("Tab")
    offered = lab.page.locator(".jp-Completer-item")
    expect(offered).to_have_count(2)
    expect(offered.first).to_contain_text("notes.txt")
    screenshot("completion")
    lab.page.keyboard.press("Enter")
    write_at_end(lab, ":2]")
    expect(lab.cell(0).locator(".cm-content")).to_have_text("😀 See @[notes.txt:2]")

    lab.page.keyboard.press("ArrowLeft")
    lab.page.keyboard.press("ArrowLeft")
    lab.page.keyboard.press("Shift+Tab")
    shown = lab.page.locator(".jp-Tooltip")
    expect(shown).to_contain_text("second line")
    expect(shown).not_to_contain_text("first line")
    screenshot("inspection")
