"""Completion in prompts with icons and previews, and what a reference under the pointer brings."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from chats import Slow, write_notebook
from playwright.sync_api import Locator, expect
from scripted_server import text


@pytest.fixture
def notebook(lab, lab_root):
    # In a folder of its own: files of other tests would be offered, too.
    folder = lab_root / "help"
    agents = folder / ".msgbook" / "agents"
    agents.mkdir(parents=True, exist_ok=True)
    (agents / "helper.md").write_text(
        "---\nname: helper\ndescription: Reads files\ntools: [read]\n---\nHelp.\n"
    )
    (folder / "numbers.csv").write_text("n\n1\n2\n")
    write_notebook(folder / "help.ipynb", "What is in @[numbers.csv]?", "")
    lab.open("help/help.ipynb")
    lab.wait_for_kernel()
    return lab.notebook


def _list(lab) -> Locator:
    return lab.page.locator(".jp-Completer:not(.lm-mod-hidden)")


def _item(lab, text: str) -> Locator:
    return _list(lab).locator(f'.jp-Completer-item[data-value="{text}"]')


def test_the_list_opens_by_itself_with_icons_and_previews(lab, notebook, screenshot):
    lab.type_in(1, "Look at ")
    lab.page.keyboard.type("@[")
    expect(_item(lab, "numbers.csv").locator("svg")).to_be_visible()
    lab.page.keyboard.type("numb")
    expect(_list(lab)).to_contain_text("numbers.csv: 3 lines")
    screenshot("file")
    with lab.width(700):
        screenshot("file-700")
    lab.page.keyboard.press("Escape")

    lab.type_in(1, "")
    lab.page.keyboard.type("%")
    expect(_item(lab, "%%msg").locator("svg")).to_be_visible()
    lab.page.keyboard.type("%ms")
    expect(_item(lab, "%%msg")).to_have_class(re.compile("jp-mod-active"))
    lab.page.keyboard.press("Enter")
    lab.page.keyboard.type(" agent=")
    expect(_item(lab, "helper").locator("svg")).to_be_visible()
    lab.page.keyboard.type("help")
    expect(_list(lab)).to_contain_text("tools: read")
    screenshot("agent")
    lab.page.keyboard.press("Enter")
    assert lab.cells()[1]["source"] == "%%msg agent=helper"

    lab.type_in(1, "#define city Rome\n")
    lab.page.keyboard.type("In {{")
    expect(_item(lab, "city").locator("svg")).to_be_visible()
    lab.page.keyboard.press("Escape")
    lab.type_in(1, "%%python\n")
    lab.page.keyboard.type("x = '@[")
    expect(_list(lab)).to_have_count(0)


def test_a_reference_under_the_pointer_shows_what_it_brings(lab, notebook, screenshot):
    lab.cell(0).get_by_text("numbers.csv").hover()
    shown = lab.page.locator(".msgbook-Hover")
    expect(shown).to_contain_text("numbers.csv: 3 lines")
    screenshot("hover")
    lab.page.mouse.move(5, 5)
    expect(shown).to_have_count(0)
    with lab.dark():
        lab.cell(0).get_by_text("numbers.csv").hover()
        expect(shown).to_be_visible()
        screenshot("hover-dark")


def test_a_value_under_the_pointer_shows_what_is_sent_of_it(
    lab, notebook, lab_root, model_server, screenshot
):
    code = "%%python\nrows = [{'n': n} for n in range(50)]"
    write_notebook(lab_root / "help" / "value.ipynb", code, "Look at @[py:rows]")
    lab.open("help/value.ipynb")
    lab.wait_for_kernel()
    lab.run(0)
    expect(lab.cell(0).locator(".jp-InputPrompt")).to_contain_text("1")
    lab.cell(1).get_by_text("py:rows").first.hover()
    shown = lab.page.locator(".msgbook-Hover")
    expect(shown).to_contain_text(re.compile(r"py:rows: \d+ lines?, about \d+ tokens"))
    expect(shown).to_contain_text("list")
    expect(shown).not_to_contain_text("Docstring")
    head = shown.inner_text().split("\n\n", 1)[1]
    screenshot("hover")
    with lab.dark():
        screenshot("dark")
    lab.page.mouse.move(5, 5)
    model_server.answers = [text("I see them.")]
    lab.run(1)
    expect(lab.cell(1).get_by_text("I see them.")).to_be_visible()
    sent = model_server.messages()[-1]["content"].split("content_reference>")[1].strip("</\n")
    assert json.loads(sent)["files"]["py:rows"].startswith(head.removesuffix("\n..."))


def test_prompts_are_completed_and_explained_while_a_turn_runs(lab, notebook, model_server):
    slow = Slow("I wait", " no more.")
    model_server.answers = [slow.answer]
    lab.run(0)
    expect(lab.cell(0)).to_contain_text("I wait")

    lab.type_in(1, "Look at ")
    lab.page.keyboard.type("@[")
    expect(_item(lab, "numbers.csv").locator("svg")).to_be_visible()
    lab.page.keyboard.type("numb")
    expect(_list(lab)).to_contain_text("numbers.csv: 3 lines")
    lab.page.keyboard.press("Escape")
    lab.cell(0).get_by_text("@[numbers.csv]").first.hover()
    expect(lab.page.locator(".msgbook-Hover")).to_contain_text("numbers.csv: 3 lines")

    expect(lab.cell(0)).not_to_contain_text("no more")
    slow.go()
    expect(lab.cell(0)).to_contain_text("no more.")


@pytest.fixture
def impatient(lab) -> Iterator[None]:
    """JupyterLab drops what a kernel answers, as it does with answers that take a second."""
    completer = "@jupyterlab/completer-extension:manager"
    lab.set("providerTimeout", 0, completer)
    yield
    lab.set("providerTimeout", 1000, completer)


def test_an_answer_that_jupyterlab_does_not_wait_for_opens_the_list_when_it_comes(
    lab, lab_root, impatient
):
    folder = lab_root / "late"
    folder.mkdir(exist_ok=True)
    (folder / "late.csv").write_text("n\n")
    write_notebook(folder / "late.ipynb", "")
    # Its kernel starts only now.
    lab.open("late/late.ipynb")
    lab.type_in(0, "Look at ")
    lab.page.keyboard.type("@[")
    expect(_item(lab, "late.csv").locator("svg")).to_be_visible()
    expect(_list(lab)).to_contain_text("late.csv: 1 line")

    lab.page.keyboard.press("Escape")
    lab.wait_for_kernel()
    lab.type_in(0, "Compare with ")
    lab.page.keyboard.type("@[")
    expect(_item(lab, "late.csv").locator("svg")).to_be_visible()
