"""What is seen of a turn is in the notebook: saved at any moment, and when the kernel is killed."""

from __future__ import annotations

import os
import re
import signal

from chats import Slow, open_and_run, saved_turn, turn_of
from playwright.sync_api import expect
from scripted_server import error, text


def test_a_save_in_mid_turn_has_what_is_seen(lab, lab_root, model_server):
    slow = Slow("The beginning of an answer.", " And its end.")
    model_server.answers = [slow.answer]
    cell = open_and_run(lab, lab_root / "saved-early.ipynb", "Tell me")
    expect(cell.get_by_text("The beginning of an answer.")).to_be_visible()
    lab.save()
    early = saved_turn(lab_root / "saved-early.ipynb")
    assert early["status"] == "running"
    assert early["blocks"][-1]["text"] == "The beginning of an answer."

    slow.go()
    expect(cell.get_by_text("And its end.")).to_be_visible()
    expect(cell.locator("[data-status=done]")).to_be_visible()
    bundle = lab.cells()[0]["outputs"][0]["data"]
    assert bundle["text/markdown"].startswith("The beginning of an answer. And its end.")


def test_a_finished_block_is_not_touched_while_the_next_one_grows(lab, lab_root, model_server):
    slow = Slow("First paragraph.\n\nSecond", " paragraph.")
    model_server.answers = [slow.answer]
    cell = open_and_run(lab, lab_root / "still.ipynb", "Tell me")
    paragraph = cell.locator("p", has_text="First paragraph.")
    expect(paragraph).to_be_visible()
    paragraph.evaluate("node => { node.dataset.mark = 'mine'; }")
    lab.page.wait_for_function(
        "() => JSON.stringify(window.jupyterapp.shell.currentWidget.content.model.toJSON())"
        ".includes('Second')"
    )
    expect(cell.locator("p[data-mark=mine]")).to_be_visible()
    slow.go()
    expect(cell.get_by_text("Second paragraph.")).to_be_visible()


LONG = """\
Words before $x^2$.

## A heading

More words.

- an item
- another one

1. First

   with a paragraph
2. Second

| a | b |
| --- | --- |
| 1 | 2 |

$$\\int_0^1 x\\,dx$$

> A quote.

```python
code = "which is longer than the line can be" + "which is longer than the line can be, by far"
```

### At the end

The last"""

PLACES = """async node => {
    await document.fonts.ready;
    return [...node.querySelectorAll('.msgbook-Text :is(h2, h3, p, li, table, pre)')].map(
        e => [e.tagName, Math.round(e.getBoundingClientRect().top)]);
}"""
"""Where each block stands, with the fonts of the formulas."""


def stream_long(lab, path, model_server):
    """A long answer that waits before its last words, and its cell."""
    slow = Slow(f"{LONG} words.\n\nAnd", " no more.")
    model_server.answers = [slow.answer]
    cell = open_and_run(lab, path, "Tell me")
    expect(cell.locator("p", has_text="The last words.")).to_be_visible()
    expect(cell.locator("mjx-container")).to_have_count(2)
    return slow, cell


def test_nothing_moves_when_the_answer_ends(lab, lab_root, model_server):
    slow, cell = stream_long(lab, lab_root / "moves.ipynb", model_server)
    before = cell.evaluate(PLACES)

    slow.go()
    expect(cell.locator("[data-status=done]")).to_be_visible()
    expect(cell.locator("p", has_text="And no more.")).to_be_visible()
    expect(cell.locator("mjx-container")).to_have_count(2)
    after = cell.evaluate(PLACES)
    assert len(before) > 12
    assert after[: len(before)] == before


def test_what_was_selected_stays_selected_when_the_answer_ends(lab, lab_root, model_server):
    slow, cell = stream_long(lab, lab_root / "selected.ipynb", model_server)
    cell.locator("blockquote").evaluate("node => getSelection().selectAllChildren(node)")

    slow.go()
    expect(cell.locator("p", has_text="And no more.")).to_be_visible()
    expect(cell.locator("[data-status=done]")).to_be_visible()
    assert lab.page.evaluate("getSelection().toString().trim()") == "A quote."


def test_a_failure_is_told_once(lab, lab_root, model_server):
    model_server.answers = [error(401, "Wrong key")]
    cell = open_and_run(lab, lab_root / "failed.ipynb", "Tell me")
    expect(cell.locator("[data-status=error]")).to_be_visible()
    expect(cell.get_by_text("Wrong key").filter(visible=True)).to_have_count(1)

    cell.locator(".jp-OutputArea-child").last.evaluate("node => node.remove()")
    expect(cell.locator(".msgbook-Error")).to_be_visible()


def test_an_interruption_is_told_once(lab, lab_root, model_server, screenshot):
    model_server.answers = [Slow("Said before the stop.", "").answer]
    loop = "%%python\nwhile True: print('on and on') or __import__('time').sleep(1)"
    cell = open_and_run(lab, lab_root / "stopped.ipynb", "Tell me", loop)
    expect(cell.get_by_text("Said before the stop.")).to_be_visible()
    lab.command("notebook:interrupt-kernel")

    expect(cell.get_by_text("interrupted", exact=True)).to_be_visible()
    error = cell.get_by_text("KeyboardInterrupt")
    expect(error).to_be_attached()
    expect(error).to_be_hidden()
    assert [o["output_type"] for o in lab.cells()[0]["outputs"]] == ["display_data", "error"]

    code = lab.cell(1)
    lab.run(1)
    # In the output: the source says it before the code runs, and an interrupt would come too early.
    expect(code.locator(".jp-OutputArea-output").first).to_contain_text("on and on")
    lab.command("notebook:interrupt-kernel")
    expect(code.get_by_text("KeyboardInterrupt").last).to_be_visible()
    screenshot("stopped")

    cell.locator(".jp-OutputArea-child").first.evaluate("node => node.remove()")
    expect(error).to_be_visible()


def test_a_killed_kernel_leaves_what_was_seen_and_the_next_one_goes_on(
    lab, lab_root, model_server, screenshot
):
    slow = Slow("What was seen before the end.", "")
    model_server.answers = [slow.answer, text("I go on.")]
    show_pid = "%%python\nimport os; print(os.getpid())"
    cell = open_and_run(lab, lab_root / "killed.ipynb", show_pid, "Tell", "Go on")
    pid = cell.locator(".jp-OutputArea-output")
    expect(pid).to_have_text(re.compile(r"^\d+\s*$"))
    kernel = int(pid.inner_text())
    lab.run(1)
    expect(lab.cell(1).get_by_text("What was seen before the end.")).to_be_visible()

    os.kill(kernel, signal.SIGKILL)

    expect(lab.cell(1).locator("[data-status=interrupted]")).to_be_visible()
    expect(lab.cell(1).get_by_text("What was seen before the end.")).to_be_visible()
    screenshot("killed")
    lab.page.keyboard.press("Escape")
    lab.save()
    assert "What was seen before the end." in str(saved_turn(lab_root / "killed.ipynb", 1))

    lab.close_all()
    lab.open("killed.ipynb")
    expect(lab.cell(1).locator("[data-status=interrupted]")).to_be_visible()
    expect(lab.cell(1).get_by_text("What was seen before the end.")).to_be_visible()
    assert turn_of(lab.cells()[1])["status"] == "running"
    lab.wait_for_kernel()
    lab.run(2)
    expect(lab.cell(2).get_by_text("I go on.")).to_be_visible()
    spoken = [m["content"] for m in model_server.messages()[1:] if m["role"] == "assistant"]
    assert spoken == ["What was seen before the end."]
    screenshot("went-on")
