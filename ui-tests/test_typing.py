"""Where a person types: the message that is ready, what completes it, what it brought, and finding it again."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path

import nbformat
import pytest
from chats import write_notebook
from hostile_strings import NAMES, SENDABLE
from playwright.sync_api import Locator, expect
from scripted_server import text

from msgbook_format import read, writes

CHAT = "# %% One[^one]\n\nHello\n\n# %%% [^one-1]\n\n[^one-1]: [assistant]\n\n{answer}\n"

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def long_chat(path: Path) -> str:
    written = CHAT.format(answer="\n\n".join(f"Paragraph {number}." for number in range(100)))
    path.write_text(written)
    return written


def _placeholder(lab) -> Locator:
    return lab.notebook.locator(".msgbook-Placeholder:visible")


def test_a_chat_opens_at_its_end_with_an_empty_message_that_is_not_in_the_file(
    lab, lab_root, model_server, screenshot
):
    written = long_chat(lab_root / "end.msg.md")
    model_server.answers = [text("The answer to it.")]
    lab.double_click("end.msg.md")
    lab.wait_for_kernel()

    expect(lab.notebook.locator(".jp-Notebook-cell")).to_have_count(2)
    expect(_placeholder(lab)).to_have_text(
        "Write a message. Shift+Enter sends it. @[ adds files, %%python runs code."
    )
    expect(lab.cell(1)).to_be_in_viewport()
    expect(lab.notebook.get_by_text("Paragraph 99.")).to_be_in_viewport()
    screenshot("end")
    assert not lab.is_changed()
    lab.save()
    assert (lab_root / "end.msg.md").read_text() == written

    # The cursor is in it.
    lab.page.keyboard.type("And now?")
    expect(_placeholder(lab)).to_have_count(0)
    assert lab.is_changed()
    lab.page.keyboard.press("Shift+Enter")
    expect(lab.cell(1)).to_contain_text("The answer to it.")
    expect(_placeholder(lab)).to_have_count(1)
    with lab.dark():
        screenshot("end-dark")
    with lab.width(700):
        screenshot("end-700")
    lab.save()
    assert [cell.source for cell in read(lab_root / "end.msg.md").cells] == ["Hello", "And now?"]


def test_a_chat_in_which_nothing_has_run_opens_at_its_top(lab, lab_root, model_server, screenshot):
    note = "\n\n".join(f"Paragraph {number}." for number in range(100))
    cells = [
        nbformat.v4.new_markdown_cell("Step 1"),
        nbformat.v4.new_code_cell("Hello"),
        nbformat.v4.new_markdown_cell(note),
        nbformat.v4.new_code_cell("And then?"),
    ]
    spec = {"name": "msgbook", "display_name": "Chat (msgbook)"}
    book = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": spec})
    (lab_root / "steps.msg.md").write_text(writes(book))
    model_server.answers = [text("The first answer.")]
    lab.double_click("steps.msg.md")
    lab.wait_for_kernel()

    expect(lab.notebook.get_by_role("paragraph").filter(has_text="Step 1")).to_be_in_viewport()
    expect(lab.cell(1)).to_have_class(re.compile("jp-mod-active"))
    expect(lab.notebook.locator("p", has_text="Paragraph 99.")).not_to_be_in_viewport()
    screenshot("top")
    lab.page.keyboard.press("Shift+Enter")
    expect(lab.cell(1)).to_contain_text("The first answer.")
    expect(lab.cell(2)).to_have_class(re.compile("jp-mod-active"))


def test_the_table_of_contents_lists_messages_and_leads_to_them(
    lab, lab_root, model_server, screenshot
):
    written = long_chat(lab_root / "contents.msg.md").replace("Hello", "What is the first thing?")
    heading = written.replace("one", "two").replace("first thing", "second thing")
    heading = heading.replace("Paragraph 0.", "# A heading of the answer")
    (lab_root / "contents.msg.md").write_text(written + heading)
    lab.open("contents.msg.md")
    lab.wait_for_kernel()
    lab.command("toc:show-panel")
    rows = lab.page.locator(".jp-tocItem-heading:visible")

    expect(rows).to_have_text(
        ["What is the first thing?", "What is the second thing?", "A heading of the answer"]
    )
    screenshot("contents")
    rows.nth(0).click()
    expect(lab.cell(0).locator(".jp-InputArea")).to_be_in_viewport()
    expect(lab.cell(0)).to_have_class(re.compile("jp-mod-active"))
    lab.type_in(0, "What else?")
    expect(rows.nth(0)).to_have_text("What else?")


def test_a_fork_opens_at_the_place_of_the_fork(lab, lab_root):
    written = long_chat(lab_root / "forked.msg.md")
    (lab_root / "forked.msg.md").write_text(written + written.replace("one", "two"))
    lab.open("forked.msg.md")
    lab.wait_for_kernel()
    lab.cell(0).locator(".cm-content").first.click()
    lab.command("msgbook:fork-conversation")

    lab.page.wait_for_function(
        "() => window.jupyterapp.shell.currentWidget.context?.path === 'forked-fork.msg.md'"
    )
    expect(lab.notebook.locator(".jp-Notebook-cell")).to_have_count(2)
    expect(_placeholder(lab)).to_be_in_viewport()
    expect(lab.notebook.get_by_text("Paragraph 99.")).to_be_in_viewport()


def test_a_fork_from_the_message_that_is_ready_has_all_cells(lab, lab_root):
    write_notebook(lab_root / "whole.ipynb", "One", "Two")
    lab.open("whole.ipynb")
    lab.wait_for_kernel()
    expect(_placeholder(lab)).to_have_count(1)
    lab.cell(2).locator(".cm-content").click()
    lab.command("msgbook:fork-conversation")

    lab.page.wait_for_function(
        "() => window.jupyterapp.shell.currentWidget.context?.path === 'whole-fork.ipynb'"
    )
    cells = nbformat.read(lab_root / "whole-fork.ipynb", 4).cells
    assert [cell.source for cell in cells] == ["One", "Two"]


def test_an_empty_chat_offers_no_fork(lab, lab_root):
    write_notebook(lab_root / "unwritten.ipynb")
    lab.open("unwritten.ipynb")
    lab.wait_for_kernel()
    expect(_placeholder(lab)).to_have_count(1)
    enabled = "() => window.jupyterapp.commands.isEnabled('msgbook:fork-conversation')"
    assert not lab.page.evaluate(enabled)
    lab.page.keyboard.type("Hello")
    assert lab.page.evaluate(enabled)


def test_a_python_notebook_is_left_as_it_is(lab, lab_root):
    cells = [nbformat.v4.new_code_cell("1")]
    spec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    book = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": spec})
    nbformat.write(book, lab_root / "python.ipynb")
    lab.open("python.ipynb")
    lab.wait_for_kernel()

    expect(lab.notebook.locator(".jp-Notebook-cell")).to_have_count(1)
    lab.type_in(0, "")
    expect(_placeholder(lab)).to_have_count(0)


@pytest.fixture
def folder(lab_root) -> Path:
    folder = lab_root / "typing"
    folder.mkdir(exist_ok=True)
    (folder / "data.csv").write_text("x,y\n1,2\n")
    (folder / "src").mkdir(exist_ok=True)
    (folder / "src" / "main.py").write_text("print()\n")
    return folder


def _choose(lab, opening: str, typed: str, row: str) -> None:
    lab.page.keyboard.type(opening)
    shown = lab.page.locator(".jp-Completer:not(.lm-mod-hidden)")
    expect(shown.locator(".jp-Completer-item", has_text=row)).to_be_visible()
    lab.page.keyboard.type(typed)
    expect(shown.locator(".jp-mod-active", has_text=row)).to_be_visible()
    lab.page.keyboard.press("Enter")
    expect(shown).to_have_count(0)


def test_completion_closes_references_and_a_broken_one_asks_before_it_is_sent(
    lab, folder, model_server, screenshot
):
    model_server.answers = [text("One row."), text("Two.")]
    write_notebook(folder / "complete.ipynb", "What do you see?", "%%python\nframe = 5")
    lab.open("typing/complete.ipynb")
    lab.wait_for_kernel()
    lab.run(1)
    expect(lab.cell(1).locator(".jp-InputPrompt")).to_have_text(re.compile(r"\[\d+\]"))

    lab.type_in(2, "In ")
    _choose(lab, "@[", "dat", "data.csv")
    lab.page.keyboard.type(" and ")
    _choose(lab, "@[py:", "fra", "py:frame")
    lab.page.keyboard.type(" and ")
    lab.page.keyboard.type("@[cell:")
    rows = lab.page.locator(".jp-Completer:not(.lm-mod-hidden) .jp-Completer-item")
    expect(rows).to_have_count(2)
    expect(rows.nth(0)).to_contain_text("[2] %%python frame = 5")
    screenshot("cells")
    lab.page.keyboard.type("What")
    expect(rows).to_have_count(1)
    lab.page.keyboard.press("Enter")
    source = lab.cells()[2]["source"]
    first = lab.cells()[0]["id"][:8]
    assert source == f"In @[data.csv] and @[py:frame] and @[cell:{first}]"

    lab.cell(2).get_by_text("@[py:frame]").hover()
    expect(lab.page.locator(".msgbook-Hover")).to_contain_text(
        re.compile(r"py:frame: 1 line, about \d tokens?")
    )
    lab.page.mouse.move(5, 5)

    lab.type_in(2, "See @[data.csv")
    lab.page.keyboard.press("Escape")
    lab.run(2)
    asked = lab.cell(2).locator(".msgbook-Approval")
    expect(asked).to_contain_text("The reference @[data.csv has no closing bracket.")
    expect(asked).to_contain_text("Send anyway?")
    screenshot("broken")
    with lab.dark():
        screenshot("broken-dark")
    asked.get_by_role("button", name="Do Not Send").click()
    expect(lab.cell(2)).to_contain_text("Nothing was sent.")
    assert model_server.requests == []
    lab.run(2)
    lab.cell(2).get_by_role("button", name="Send Anyway").click()
    expect(lab.cell(2)).to_contain_text("One row.")
    assert len(model_server.requests) == 1


def test_in_a_narrow_window_the_list_and_its_preview_stay_in_it(lab, folder, screenshot):
    words = "What do you see in the long table of all the measurements of the last year?"
    write_notebook(folder / "narrow.ipynb", words, "And then?")
    lab.open("typing/narrow.ipynb")
    lab.wait_for_kernel()
    with lab.width(700):
        lab.type_in(1, "Now look again at what you said about the first answer in ")
        lab.page.keyboard.type("@[cell:")
        shown = lab.page.locator(".jp-Completer:not(.lm-mod-hidden)")
        expect(shown.locator(".jp-Completer-item")).to_contain_text("What do you see")
        expect(shown.locator(".jp-Completer-docpanel")).to_contain_text("the last year?")
        screenshot("list-700")
        for part in (shown.locator(".jp-Completer-list"), shown.locator(".jp-Completer-docpanel")):
            box = part.bounding_box()
            assert box is not None
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= 700
            assert box["width"] > 150
        with lab.dark():
            screenshot("list-700-dark")


def test_what_a_message_brought_stands_below_it_also_when_it_is_opened_again(
    lab, folder, model_server, screenshot
):
    (folder / "attachments").mkdir(exist_ok=True)
    (folder / "attachments" / "image.png").write_bytes(base64.b64decode(PIXEL))
    model_server.answers = [text("One row.")]
    source = "Compare @[data.csv] with ![image.png](attachments/image.png)"
    write_notebook(folder / "brought.ipynb", source)
    lab.open("typing/brought.ipynb")
    lab.wait_for_kernel()
    lab.run(0)
    expect(lab.cell(0)).to_contain_text("One row.")
    chips = lab.cell(0).locator(".msgbook-Brought-chip")
    for _ in range(2):
        expect(chips).to_have_count(2)
        expect(chips.nth(0)).to_have_text(re.compile(r"^data\.csv · [2-9] tokens$"))
        expect(chips.nth(1)).to_have_text("attachments/image.png")
        expect(chips.nth(1).locator("img")).to_have_js_property("naturalWidth", 1)
        screenshot("chips")
        lab.save()
        lab.close_all()
        lab.open("typing/brought.ipynb")
    with lab.dark(), lab.width(700):
        screenshot("chips-dark-700")


def test_a_search_finds_answers_and_opens_what_is_folded_around_them(
    lab, lab_root, model_server, screenshot
):
    long_chat(lab_root / "search.msg.md")
    lab.open("search.msg.md")
    lab.wait_for_kernel()
    lab.page.keyboard.press("ControlOrMeta+f")
    lab.page.locator(".jp-DocumentSearch-input").first.fill("Paragraph 42.")
    expect(lab.page.locator(".jp-DocumentSearch-index-counter")).to_have_text("1/1")
    screenshot("found")
    lab.page.keyboard.press("Enter")
    expect(lab.notebook.locator(".jp-current-match")).to_be_in_viewport()
    lab.page.keyboard.press("Escape")


def test_hostile_names_are_text_in_chips_and_rows(lab, lab_root, guard, screenshot):
    texts = [one[:2000] for one in SENDABLE]
    hostile = [one for one in (*NAMES, *texts[::7]) if one.isprintable()] + texts[::40]
    digest = "0" * 64
    context = {
        "files": [{"key": name, "sha256": digest} for name in hostile],
        "tools": [{"name": name, "sha256": digest, "args": name} for name in hostile],
        "images": [{"key": name, "sha256": digest} for name in hostile],
        "rules": [{"name": name, "sha256": digest} for name in hostile],
    }
    path = lab_root / "hostile-typing.ipynb"
    write_notebook(path, "Hello", *texts[::40], "")
    notebook = json.loads(path.read_text())
    turn = {"version": 1, "status": "done", "blocks": [], "context": context}
    data = {"application/vnd.msgbook.turn+json": turn, "text/plain": ""}
    shown = {"output_type": "display_data", "data": data, "metadata": {}}
    notebook["cells"][0]["outputs"] = [shown]
    path.write_text(json.dumps(notebook))
    lab.open(path.name)
    lab.wait_for_kernel()
    guard.tell_lies(
        {
            "context.sizes": {"result": {"tokens": {digest: "<img src=x onerror=hacked>"}}},
            "context.picture": {"result": {"url": "http://leak.invalid/x.png"}},
        }
    )
    expect(lab.cell(0).locator(".msgbook-Brought-chip")).to_have_count(51)
    expect(lab.cell(0).locator(".msgbook-Brought img")).to_have_count(0)
    last = lab.notebook.locator(".jp-Notebook-cell").last
    last.locator(".cm-content").click()
    lab.page.keyboard.type("@[cell:")
    expect(lab.page.locator(".jp-Completer:not(.lm-mod-hidden)")).to_be_visible()
    screenshot("rows")
    lab.cell(0).scroll_into_view_if_needed()
    screenshot("chips")
    guard.assert_unharmed()
