"""A person is asked in the notebook, next to the call, and only what they say is done."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from chats import answer, approve, saved_turn, turn_of, write_notebook
from lab import Lab
from playwright.sync_api import Browser, Locator, expect
from scripted_server import call, text

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]


def deny(cell: Locator) -> Locator:
    return cell.get_by_role("button", name="Deny", exact=True)


def ask(lab: Lab, name: str) -> None:
    lab.open(name)
    lab.wait_for_kernel()
    lab.run(0)
    expect(approve(lab.cell(0)).first).to_be_visible()


@pytest.fixture
def second_tab(browser: Browser, lab_url: str) -> Iterator[Lab]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.set_default_timeout(30_000)
    yield Lab(page, lab_url)
    context.close()


def test_what_is_approved_is_done_once(lab, lab_root, model_server, screenshot):
    (lab_root / "yes.txt").write_text("Good morning.\nHow are you?\n")
    arguments = {"path": "yes.txt", "old": "Good morning.", "new": "Good evening."}
    model_server.answers = [
        call("read", {"path": "yes.txt"}),
        call("edit", arguments),
        text("Changed."),
    ]
    write_notebook(lab_root / "yes.ipynb", "Say good evening")
    ask(lab, "yes.ipynb")

    cell = lab.cell(0)
    assert (lab_root / "yes.txt").read_text().startswith("Good morning.")
    expect(cell.get_by_text("waits for your approval")).to_be_visible()
    expect(cell.get_by_text("waiting for you", exact=True)).to_be_visible()
    expect(cell.locator(".msgbook-Diff-added")).to_contain_text("+Good evening.")
    expect(cell.locator(".msgbook-Call-body pre").last).to_be_visible()
    expect(lab.page.locator(".msgbook-mod-deaf")).to_have_count(0)
    screenshot("asked")
    with lab.dark():
        screenshot("asked-dark")

    answer(approve(cell))

    expect(cell.get_by_text("Changed.", exact=True)).to_be_visible()
    expect(approve(cell)).to_have_count(0)
    assert (lab_root / "yes.txt").read_text() == "Good evening.\nHow are you?\n"
    edit = [b for b in turn_of(lab.cells()[0])["blocks"] if b.get("name") == "edit"]
    assert [block["approval"] for block in edit] == ["user"]
    screenshot("done")


def test_what_is_out_of_sight_is_said_and_all_of_it_can_be_seen(
    lab, lab_root, model_server, screenshot
):
    before = "".join(f"line {number} of the file\n" for number in range(3000))
    (lab_root / "long.txt").write_text(before)
    content = before.replace(" of the", " of a").replace("line 2999 of a", "the last line of a")
    model_server.answers = [
        call("write", {"path": "long.txt", "content": content}),
        text("Written."),
    ]
    write_notebook(lab_root / "long.ipynb", "Change it all")
    ask(lab, "long.ipynb")
    cell = lab.cell(0)
    diff = cell.locator(".msgbook-Diff")
    more = cell.locator(".msgbook-Approval .msgbook-More")

    expect(more).to_have_text(re.compile(r"↓ \d{4} more lines below: show all"))
    expect(approve(cell)).to_have_accessible_description(re.compile(r"\d{4} more lines below"))
    more.scroll_into_view_if_needed()
    screenshot("more")
    size = lab.page.viewport_size
    lab.page.set_viewport_size({"width": 700, "height": 900})
    more.scroll_into_view_if_needed()
    screenshot("more-700")
    lab.page.set_viewport_size(size)

    diff.evaluate("node => { node.scrollTop = node.scrollHeight; }")
    expect(diff).to_contain_text("+the last line of a file")
    expect(more).to_have_count(0)
    diff.evaluate("node => { node.scrollTop = 0; }")
    more.click()
    expect(more).to_have_count(0)
    assert diff.evaluate("node => node.scrollHeight - node.clientHeight") <= 1
    answer(approve(cell))
    expect(cell.get_by_text("Written.", exact=True)).to_be_visible()
    assert (lab_root / "long.txt").read_text() == content


def test_what_is_denied_is_not_done_and_the_model_hears_why(
    lab, lab_root, model_server, screenshot
):
    model_server.answers = [call("mkdir", {"path": "unwanted"}), text("I see.")]
    write_notebook(lab_root / "no.ipynb", "Make a folder")
    ask(lab, "no.ipynb")

    cell = lab.cell(0)
    why = cell.get_by_label("Reason for a denial")
    why.click()
    why.press_sequentially("add no folders: I keep mine flat")
    assert len(lab.cells()) == 2
    answer(deny(cell))

    expect(cell.get_by_text("I see.", exact=True)).to_be_visible()
    assert not (lab_root / "unwanted").exists()
    assert "add no folders: I keep mine flat" in model_server.messages()[-1]["content"]
    assert turn_of(lab.cells()[0])["blocks"][0]["approval"] == "denied"
    screenshot("denied")


def test_the_keyboard_alone_decides_and_is_not_taken_from_who_types(lab, lab_root, model_server):
    model_server.answers = [call("mkdir", {"path": "by-key"}), text("Made.")]
    write_notebook(lab_root / "keys.ipynb", "Make a folder", "I write this meanwhile")
    lab.open("keys.ipynb")
    lab.wait_for_kernel()
    lab.run(0)
    lab.cell(1).locator(".cm-content").click()
    expect(approve(lab.cell(0))).to_be_visible()
    lab.page.keyboard.type("ad")
    expect(lab.cell(1).locator(".cm-content")).to_contain_text("ad")

    lab.page.keyboard.press("Control+Shift+Y")
    expect(lab.cell(0).locator(".msgbook-Approval")).to_be_focused()
    lab.page.keyboard.press("Tab")
    expect(approve(lab.cell(0))).to_be_focused()
    expect(lab.page.locator(".msgbook-mod-deaf")).to_have_count(0)
    lab.page.keyboard.press("Enter")

    expect(lab.cell(0).get_by_text("Made.", exact=True)).to_be_visible()
    assert (lab_root / "by-key").is_dir()
    assert len(lab.cells()) == 2


def test_a_question_goes_with_the_turn_that_is_stopped_and_a_saved_one_asks_nothing(
    lab, lab_root, model_server, screenshot
):
    model_server.answers = [call("mkdir", {"path": "stopped"})]
    write_notebook(lab_root / "stopped.ipynb", "Make a folder")
    ask(lab, "stopped.ipynb")
    lab.save()
    assert saved_turn(lab_root / "stopped.ipynb")["status"] == "running"

    (lab_root / "pending.ipynb").write_bytes((lab_root / "stopped.ipynb").read_bytes())
    lab.open("pending.ipynb")
    lab.wait_for_kernel()
    expect(lab.cell(0).get_by_text("was not approved")).to_be_visible()
    expect(lab.cell(0).get_by_role("button", name="Approve")).to_have_count(0)
    screenshot("saved")

    lab.open("stopped.ipynb")
    expect(approve(lab.cell(0))).to_be_visible()
    lab.notebook.get_by_role("button", name="Interrupt the kernel").click()
    expect(approve(lab.cell(0))).to_have_count(0)
    expect(lab.cell(0).locator("[data-status=interrupted]")).to_be_visible()
    assert not (lab_root / "stopped").exists()


def test_two_pages_ask_and_the_first_answer_counts(
    lab, lab_root, model_server, second_tab, screenshot
):
    model_server.answers = [call("mkdir", {"path": "two"}), text("Made in two.")]
    write_notebook(lab_root / "two.ipynb", "Make a folder")
    lab.open("two.ipynb")
    lab.wait_for_kernel()
    second_tab.load("two.ipynb")
    second_tab.wait_for_kernel()

    lab.run(0)
    expect(approve(lab.cell(0))).to_be_visible()
    expect(approve(second_tab.cell(0))).to_be_visible()
    answer(approve(second_tab.cell(0)))

    for tab in (lab, second_tab):
        expect(tab.cell(0).get_by_text("Made in two.", exact=True)).to_be_visible()
        expect(approve(tab.cell(0))).to_have_count(0)
        assert turn_of(tab.cells()[0])["status"] == "done"
    assert (lab_root / "two").is_dir()


def test_two_notebooks_with_one_kernel_ask_in_the_right_one(lab, lab_root, model_server):
    model_server.answers = [call("mkdir", {"path": "left"}), text("Made left.")]
    write_notebook(lab_root / "left.ipynb", "Make a folder")
    write_notebook(lab_root / "right.ipynb", "Something else")
    lab.open("right.ipynb")
    lab.wait_for_kernel()
    kernel = lab.page.evaluate(
        "() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.id"
    )
    lab.open("left.ipynb")
    lab.wait_for_kernel()
    lab.page.evaluate(
        "id => window.jupyterapp.shell.currentWidget.sessionContext.changeKernel({id})"
        ".then(() => null)",
        kernel,
    )
    lab.wait_for_kernel()
    lab.run(0)
    expect(approve(lab.cell(0))).to_be_visible()
    assert lab.page.locator(".msgbook-Approval").count() == 1
    lab.open("right.ipynb")
    assert lab.cells()[0]["outputs"] == []
    lab.open("left.ipynb")
    answer(approve(lab.cell(0)))
    expect(lab.cell(0).get_by_text("Made left.", exact=True)).to_be_visible()
