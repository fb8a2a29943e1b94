"""Everyone can use the page: axe-core finds no serious violation, and the keyboard alone does all."""

from __future__ import annotations

import pytest
from axe import all_violations, violations
from chats import Slow, answer, approve, open_and_run, write_notebook
from lab import Lab
from playwright.sync_api import Locator, expect
from scripted_server import call, error, text

MARKDOWN = """# A heading

A [link](https://example.org/), **bold**, `code` and $a^2$.

| a | b |
| - | - |
| 1 | 2 |

```python
print("a comment")  # which is grey
```
"""


def open_all_blocks(cell: Locator) -> None:
    # A finished call has no line of its own: it stands in that of its result.
    for block in cell.locator("details.msgbook-Disclosure:visible").all():
        if block.get_attribute("open") is None:
            block.locator("> summary").click()


@pytest.mark.parametrize("state", ["running", "ended", "failed"])
def test_a_turn_has_no_serious_violation(lab, lab_root, model_server, screenshot, state):
    slow = Slow(MARKDOWN, " The end.")
    model_server.answers = {
        "running": [slow.answer],
        "ended": [
            call("read", {"path": "axe.txt"}),
            text(MARKDOWN, reasoning="I think so."),
        ],
        "failed": [error(400, "That is no good.")],
    }[state]
    (lab_root / "axe.txt").write_text("one\ntwo\n")

    cell = open_and_run(lab, lab_root / f"axe-{state}.ipynb", "Tell me")
    if state == "running":
        expect(cell.get_by_text("A heading")).to_be_visible()
    else:
        status = {"ended": "done", "failed": "error"}[state]
        expect(cell.locator(f"[data-status={status}]")).to_be_visible()
        open_all_blocks(cell)
    if state == "ended":
        expect(cell.get_by_label("Arguments of the call").locator("visible=true")).to_have_count(1)
        expect(cell.get_by_text("I think so.")).to_be_visible()
    found = all_violations(lab, screenshot, state)
    slow.go()

    assert "\n".join(found) == ""


def test_a_question_has_no_serious_violation(lab, lab_root, model_server, screenshot):
    (lab_root / "axe-ask.txt").write_text("Good morning.\n")
    change = {"path": "axe-ask.txt", "content": "Good evening.\n"}
    model_server.answers = [call("write", change), text("Done.")]

    cell = open_and_run(lab, lab_root / "axe-ask.ipynb", "Change it")
    expect(approve(cell)).to_be_visible()
    early = violations(lab.page)
    expect(lab.page.locator(".msgbook-mod-deaf")).to_have_count(0)

    found = [*early, *all_violations(lab, screenshot, "question")]
    assert "\n".join(found) == ""
    answer(approve(cell))
    expect(cell.get_by_text("Done.")).to_be_visible()


def tab_to(lab: Lab, target: Locator, most: int = 40) -> None:
    """Press Tab until an element has the focus."""
    for _ in range(most):
        if target.evaluate("node => node === document.activeElement"):
            return
        lab.page.keyboard.press("Tab")
    raise AssertionError(f"{most} tabs did not reach {target}")


def test_the_keyboard_alone_asks_opens_blocks_and_decides(lab, lab_root, model_server, screenshot):
    model_server.answers = [
        call("mkdir", {"path": "by-keys"}),
        text("Made.", reasoning="Hm."),
    ]
    write_notebook(lab_root / "keys-only.ipynb", "Make a folder")
    lab.open("keys-only.ipynb")
    lab.wait_for_kernel()
    cell, press = lab.cell(0), lab.page.keyboard.press

    # Nothing has run: the first message is selected, and keys are commands.
    expect(cell).to_be_focused()
    press("Control+Enter")
    expect(approve(cell)).to_be_enabled()
    press("Control+Shift+Y")
    tab_to(lab, approve(cell))
    screenshot("focused")
    press("Enter")
    expect(cell.get_by_text("Made.")).to_be_visible()

    summary = cell.locator(".msgbook-Reasoning > summary")
    press("Control+Shift+Y")
    lab.notebook.locator(".jp-Notebook").focus()
    tab_to(lab, summary)
    press("Enter")
    expect(cell.get_by_text("Hm.")).to_be_visible()
    screenshot("opened")


def test_forced_colors_and_reduced_motion_are_honoured(lab, lab_root, model_server, screenshot):
    slow = Slow("Said.", " The end.")
    model_server.answers = [slow.answer]
    cell = open_and_run(lab, lab_root / "forced.ipynb", "Tell me")
    expect(cell.get_by_text("Said.")).to_be_visible()
    lab.page.emulate_media(forced_colors="active", reduced_motion="reduce")

    dot = cell.locator(".msgbook-Header-dot")
    assert dot.evaluate("node => getComputedStyle(node).animationName") == "none"
    assert dot.evaluate("node => getComputedStyle(node).borderTopStyle") == "solid"
    screenshot("forced")
    lab.page.emulate_media(forced_colors="none", reduced_motion="no-preference")
    slow.go()
    expect(cell.locator("[data-status=done]")).to_be_visible()
