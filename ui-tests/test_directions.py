"""Text from right to left stands so, code never does, and nothing reorders what a person approves."""

from __future__ import annotations

from chats import answer, approve, open_and_run
from playwright.sync_api import Locator, expect
from scripted_server import call, text

ANSWER = """שלום עולם, זו תשובה עם `code` באמצע.

And a paragraph from left to right.

- פריט ראשון
- פריט שני

```python
print("שלום")  # code
```
"""


def starts_right(node: Locator) -> bool:
    """Whether the text's first line ends at the right side of its box and not at the left."""
    found: bool = node.evaluate(
        """node => {
            const range = document.createRange();
            range.selectNodeContents(node);
            const line = range.getClientRects()[0];
            const box = node.getBoundingClientRect();
            return box.right - line.right < line.left - box.left;
        }"""
    )
    return found


def test_an_answer_and_a_prompt_stand_in_their_own_direction(
    lab, lab_root, model_server, screenshot
):
    model_server.answers = [text(ANSWER)]
    cell = open_and_run(lab, lab_root / "rtl.ipynb", "ספר לי משהו על Python")
    expect(cell.locator("[data-status=done]")).to_be_visible()

    answer_box = cell.locator(".msgbook-Text")
    assert starts_right(answer_box.locator("p").first)
    assert not starts_right(answer_box.locator("p").nth(1))
    assert starts_right(answer_box.locator("li").first)
    assert answer_box.locator("ul").evaluate("node => getComputedStyle(node).direction") == "rtl"
    assert not starts_right(answer_box.locator("pre code"))
    assert starts_right(cell.locator(".cm-line").first)
    screenshot("answer")
    with lab.dark():
        screenshot("answer-dark")


def test_what_is_approved_shows_the_marks_that_could_reorder_it(
    lab, lab_root, model_server, screenshot
):
    path = "note-\u202etxt.exe"
    model_server.answers = [call("mkdir", {"path": path}), text("Made.")]
    cell = open_and_run(lab, lab_root / "rtl-ask.ipynb", "Make it")
    expect(approve(cell)).to_be_visible()

    shown = cell.locator(".msgbook-Turn").inner_text()
    assert "\u202e" not in shown
    assert r"\u202e" in shown
    for code in cell.locator(".msgbook-Turn pre").all():
        assert code.evaluate("node => getComputedStyle(node).direction") == "ltr"
    screenshot("question")
    answer(approve(cell))
    expect(cell.get_by_text("Made.")).to_be_visible()
