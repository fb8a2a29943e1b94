"""Prompts look like messages, code keeps the look of code."""

from __future__ import annotations

import pytest
from chats import write_notebook
from playwright.sync_api import expect

PROMPT = """\
# Compare two files

Please compare **carefully** what is in @[data.csv] with `code` and @[src/main.py:10:20], for {{city}}; \
this line is so long that it has to be wrapped to be read without scrolling to the side of the cell at all.

- a list
- with `@[no reference]` in code

```python
x = @[not a reference]
```
"""


@pytest.fixture
def notebook(lab, lab_root):
    write_notebook(
        lab_root / "look.ipynb",
        PROMPT,
        "%%python\nvalue = 1  # " + "a long line " * 30,
        "!ls -l",
        "%context",
        "%%msg agent=helper\nWhat is **this**?",
        "![An image](plot.png) What is on it?",
    )
    lab.open("look.ipynb")
    lab.wait_for_kernel()
    return lab.notebook


def _font(lab, index: int) -> str:
    line = lab.cell(index).locator(".cm-line").last
    return line.evaluate("node => getComputedStyle(node).fontFamily")


def _wraps(lab, index: int) -> bool:
    content = lab.cell(index).locator(".cm-content")
    return content.evaluate("node => getComputedStyle(node).whiteSpace") == "break-spaces"


def test_prompts_are_set_as_text_and_wrapped_while_code_stays_code(lab, notebook, screenshot):
    prompts = notebook.locator(".msgbook-Prompt")
    # The last one is the message that is ready below the cells.
    expect(prompts).to_have_count(4)
    code = _font(lab, 1)
    assert "mono" in code
    assert [_font(lab, index) == code for index in range(6)] == [
        False,
        True,
        True,
        True,
        False,
        False,
    ]
    assert [_wraps(lab, index) for index in range(6)] == [True, False, False, False, True, True]
    tags = lab.cell(0).locator(".msgbook-Prompt-tag")
    expect(tags).to_have_text(["@[data.csv]", "@[src/main.py:10:20]", "{{city}}"])
    screenshot("light")
    with lab.dark():
        screenshot("dark")
    with lab.width(700):
        screenshot("700")

    lab.type_in(0, "%%python\n1")
    expect(prompts).to_have_count(3)
    lab.type_in(0, "A message")
    expect(prompts).to_have_count(4)


def test_the_settings_change_the_look_at_once(lab, notebook, screenshot):
    expect(notebook.locator(".msgbook-Prompt")).to_have_count(4)
    code = _font(lab, 1)
    lab.set("promptsAsProse", False)
    expect(notebook.locator(".jp-Notebook:not(.msgbook-mod-prose)")).to_have_count(1)
    assert _font(lab, 0) == code
    lab.set("wrapPrompts", False)
    expect(notebook.locator(".jp-Notebook:not(.msgbook-mod-wrapped)")).to_have_count(1)
    assert not _wraps(lab, 0)
    screenshot("as-code")
    lab.set("promptsAsProse", True)
    lab.set("wrapPrompts", True)
    expect(notebook.locator(".jp-Notebook.msgbook-mod-prose.msgbook-mod-wrapped")).to_have_count(1)
    assert _font(lab, 0) != code
    assert _wraps(lab, 0)


def test_enter_makes_a_line_and_shift_enter_runs(lab, notebook, model_server):
    lab.type_in(0, "One")
    lab.page.keyboard.press("Enter")
    lab.page.keyboard.type("Two")
    assert lab.cells()[0]["source"] == "One\nTwo"
    lab.run(0)
    expect(lab.cell(0).locator(".msgbook-Turn")).to_have_count(1)


def test_opened_prompts_cost_no_more_style_sheets_than_jupyterlab_writes_itself(lab, lab_root):
    """The page is styled anew for each."""
    write_notebook(lab_root / "many.ipynb", *["What is **this**?"] * 40)
    # All cells are in the page, and not only those in view.
    lab.set("windowing", value=False)
    lab.page.evaluate(COUNT_STYLE_SHEETS)
    lab.open("many.ipynb")
    # With the message that is ready below them.
    expect(lab.notebook.locator(".msgbook-Prompt")).to_have_count(41)
    # CodeMirror writes its sheet for each editor.
    assert lab.page.evaluate("window.styleSheets") <= 41 + 12
    lab.set("windowing", value=True)


COUNT_STYLE_SHEETS = """() => {
    window.styleSheets = 0;
    const property = Object.getOwnPropertyDescriptor(Node.prototype, 'textContent');
    Object.defineProperty(Node.prototype, 'textContent', {
        ...property,
        set(text) {
            window.styleSheets += this instanceof HTMLStyleElement ? 1 : 0;
            property.set.call(this, text);
        },
    });
}"""
