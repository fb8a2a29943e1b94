"""A person is asked in the notebook, next to the call, and only what they say is done."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from chats import answer, approve, saved_turn, turn_of, write_notebook
from lab import Lab
from playwright.sync_api import Browser, Locator, expect
from scripted_server import call, text


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
    page.set_default_timeout(300_000)
    yield Lab(page, lab_url)
    context.close()


def test_a_long_question_that_closes_leaves_its_call_in_sight(lab, lab_root, model_server):
    lines = "".join(f"line {number}\n" for number in range(60))
    model_server.answers = [call("write", {"path": "long.txt", "content": lines}), text("Written.")]
    write_notebook(lab_root / "long.ipynb", "Write many lines")
    ask(lab, "long.ipynb")
    cell = lab.cell(0)
    for more in cell.locator(".msgbook-More").all():
        more.click()
    approve(cell).evaluate("node => node.scrollIntoView({ block: 'start' })")
    expect(cell.get_by_text("Call: write")).not_to_be_in_viewport()

    answer(approve(cell))

    expect(cell.get_by_text("Written.", exact=True)).to_be_in_viewport()
    # The call is one line with its result.
    expect(cell.locator("summary:visible", has_text="Wrote long.txt")).to_be_in_viewport()


@pytest.mark.smoke
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


def test_arguments_that_a_diff_shows_are_folded_and_others_are_not(
    lab, lab_root, model_server, screenshot
):
    (lab_root / "once.txt").write_text("Good morning.\n")
    model_server.answers = [
        call("edit", {"path": "once.txt", "old": "morning", "new": "evening"}),
        call("shell", {"command": "echo said"}, "call_2"),
        text("Done with both."),
    ]
    write_notebook(lab_root / "once.ipynb", "Change it")
    ask(lab, "once.ipynb")
    cell = lab.cell(0)
    sent = cell.get_by_label("Arguments of the call")
    expect(cell.locator(".msgbook-Diff-added")).to_contain_text("+Good evening.")
    expect(sent.first).to_be_hidden()
    screenshot("folded")
    with lab.dark():
        screenshot("folded-dark")
    with lab.width(700):
        screenshot("folded-700")
    cell.get_by_text("Arguments", exact=True).click()
    expect(sent.first).to_be_visible()
    expect(sent.first).to_contain_text('"old": "morning"')
    answer(approve(cell))

    expect(cell.get_by_text("It runs a command on this machine")).to_be_visible()
    expect(sent.last).to_be_visible()
    expect(sent.last).to_contain_text('"command": "echo said"')
    expect(cell.get_by_text("Arguments", exact=True)).to_have_count(0)
    answer(approve(cell))
    expect(cell.get_by_text("Done with both.", exact=True)).to_be_visible()


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
    # No letter was a command of JupyterLab: the message is there, and the empty one below it.
    expect(lab.notebook.locator(".jp-Notebook-cell")).to_have_count(2)
    assert [cell["source"] for cell in lab.cells()] == ["Make a folder"]
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

    expect(approve(lab.cell(0))).to_be_enabled()
    lab.page.keyboard.press("Control+Shift+Y")
    expect(lab.cell(0).locator(".msgbook-Approval")).to_be_focused()
    lab.page.keyboard.press("Tab")
    expect(approve(lab.cell(0))).to_be_focused()
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


def test_a_person_changes_the_arguments_and_what_runs_was_shown_first(
    lab, lab_root, model_server, screenshot
):
    model_server.answers = [
        call("write", {"path": "poem.txt", "content": "Roses are blue\n"}),
        text("Corrected."),
    ]
    write_notebook(lab_root / "poem.ipynb", "Write a poem")
    ask(lab, "poem.ipynb")
    cell = lab.cell(0)

    answer(cell.get_by_role("button", name="Change the arguments"))
    written = cell.get_by_role("textbox", name="Arguments of the call")
    expect(written).to_be_focused()
    expect(approve(cell)).to_have_count(0)
    written.fill('{"path": "poem.txt", "text": "Roses are red"}')
    screenshot("edit")
    answer(cell.get_by_role("button", name="Ask again with these"))

    expect(cell.get_by_text("These arguments do not fit")).to_be_visible()
    expect(written).to_have_value(re.compile("Roses are red"))
    screenshot("problem")
    with lab.dark():
        screenshot("problem-dark")
    with lab.width(700):
        screenshot("problem-700")
    expect(written).to_have_value(re.compile("Roses are red"))
    written.fill('{"path": "poem.txt", "content": "Roses are red\\n"}')
    answer(cell.get_by_role("button", name="Ask again with these"))

    expect(cell.get_by_text("Approve this call with your arguments?")).to_be_visible()
    expect(cell.locator(".msgbook-Diff-added")).to_contain_text("+Roses are red")
    assert not (lab_root / "poem.txt").exists()
    expect(lab.page.locator(".msgbook-mod-deaf")).to_have_count(0)
    screenshot("edited")
    with lab.dark():
        screenshot("edited-dark")
    with lab.width(700):
        screenshot("edited-700")
    answer(approve(cell))

    expect(cell.get_by_text("Corrected.", exact=True)).to_be_visible()
    assert (lab_root / "poem.txt").read_text() == "Roses are red\n"
    block = turn_of(lab.cells()[0])["blocks"][0]
    assert "blue" in block["arguments"]
    assert "red" in block["edited_arguments"]
    assert "The user changed the arguments" in model_server.messages()[-1]["content"]
    cell.locator(".msgbook-Call summary").click()
    expect(cell.get_by_text("Changed by you to:")).to_be_visible()
    screenshot("edited-done")


def test_changes_are_shown_side_by_side_with_their_signs(lab, lab_root, model_server, screenshot):
    before = "".join(f"This is line {n} of a file with words in it\n" for n in range(12))
    (lab_root / "sides.txt").write_text(before)
    after = before.replace("line 3 of", "the third line of").replace(
        "This is line 7 of", "New\nand 7 of"
    )
    model_server.answers = [call("write", {"path": "sides.txt", "content": after}), text("Done.")]
    write_notebook(lab_root / "sides.ipynb", "Change some lines")
    ask(lab, "sides.ipynb")
    cell = lab.cell(0)

    answer(cell.get_by_role("button", name="Show the changes side by side"))
    diff = cell.locator(".msgbook-Diff")
    expect(diff.locator(".msgbook-Diff-removed").first).to_contain_text("-This is line 3")
    expect(diff.locator(".msgbook-Diff-added").first).to_contain_text("+This is the third line")
    left = diff.locator(".msgbook-Diff-removed").first.bounding_box()
    right = diff.locator(".msgbook-Diff-added").first.bounding_box()
    assert left
    assert right
    assert left["y"] == right["y"]
    assert left["x"] + left["width"] <= right["x"]
    diff.scroll_into_view_if_needed()
    screenshot("sides")
    with lab.dark():
        screenshot("sides-dark")
    size = lab.page.viewport_size
    lab.page.set_viewport_size({"width": 700, "height": 900})
    diff.scroll_into_view_if_needed()
    screenshot("sides-700")
    lab.page.set_viewport_size(size)
    cell.get_by_role("button", name="Show the changes in one column").click()
    answer(deny(cell))
    expect(cell.get_by_text("Done.", exact=True)).to_be_visible()


def test_the_buttons_of_a_new_question_are_disabled_for_everybody_at_first(
    lab, lab_root, model_server
):
    model_server.answers = [call("mkdir", {"path": "soon"}), text("I see.")]
    write_notebook(lab_root / "soon.ipynb", "Make a folder")
    lab.open("soon.ipynb")
    lab.wait_for_kernel()
    # Notes each state of the buttons, in the order in which the page has them.
    lab.page.evaluate(
        """() => {
            window.seen = [];
            const look = () => {
                const found = document.querySelectorAll('.msgbook-Approval-button');
                const states = [...new Set([...found].map(b => b.disabled))].join();
                if (states && states !== window.seen.at(-1)) { window.seen.push(states); }
            };
            new MutationObserver(look).observe(document.body,
                {subtree: true, childList: true, attributes: true});
        }"""
    )
    lab.run(0)
    expect(approve(lab.cell(0))).to_be_enabled()
    expect(lab.cell(0).get_by_text("The buttons can be used now.")).to_be_attached()
    assert lab.page.evaluate("() => window.seen") == ["true", "false"]
    answer(deny(lab.cell(0)))
    # Its request would take an answer of the next test.
    expect(lab.cell(0).get_by_text("I see.", exact=True)).to_be_visible()


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
        expect(tab.cell(0).locator("[data-status=done]")).to_be_visible()
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
