"""Code in an answer: copied, inserted as a cell, run, saved as a file."""

from __future__ import annotations

import pytest
from chats import open_and_run
from playwright.sync_api import Locator, expect
from scripted_server import text

ANSWER = """\
Add them up:

```python
total = 1 + 2
print(f"total: {total}")
```

Or in a shell:

```bash
echo from the shell
```

It prints:

```
total: 3
```
"""


@pytest.fixture
def answered(lab, lab_root, model_server) -> Locator:
    model_server.answers = [text(ANSWER)]
    cell = open_and_run(lab, lab_root / "code.ipynb", "How do I add numbers?")
    expect(cell.locator(".msgbook-Text pre")).to_have_count(3)
    expect(cell.get_by_text("It prints")).to_be_visible()
    return cell


def _button(cell: Locator, name: str) -> Locator:
    return cell.get_by_role("toolbar", name="Code").get_by_role("button", name=name, exact=True)


def test_code_is_inserted_below_and_run_as_it_is_shown(lab, answered, screenshot):
    answered.locator("pre").nth(0).hover()
    screenshot("toolbar")
    with lab.dark():
        answered.locator("pre").nth(0).hover()
        screenshot("toolbar-dark")
    answered.locator("pre").nth(0).hover()
    _button(answered, "Insert the code below as a cell").click()
    expect(lab.notebook.locator(".jp-Notebook-cell")).to_have_count(3)
    inserted = '%%python\ntotal = 1 + 2\nprint(f"total: {total}")'
    assert [cell["source"] for cell in lab.cells()][1] == inserted
    assert lab.cells()[1]["outputs"] == []

    lab.command("notebook:undo-cell-action")
    expect(lab.notebook.locator(".jp-Notebook-cell")).to_have_count(2)
    answered.locator("pre").nth(0).hover()
    _button(answered, "Insert the code below as a cell and run it").click()
    expect(lab.cell(1).locator(".jp-OutputArea-output")).to_have_text("total: 3")
    answered.locator("pre").nth(1).hover()
    _button(answered, "Insert the code below as a cell and run it").click()
    expect(lab.cell(1).locator(".jp-OutputArea-output")).to_have_text("from the shell")
    assert lab.cells()[1]["source"] == "%%bash\necho from the shell"

    answered.locator("pre").nth(2).hover()
    expect(_button(answered, "Insert the code below as a cell and run it")).to_be_disabled()
    _button(answered, "Insert the code below as a cell").click()
    expect(lab.notebook.locator(".jp-Notebook-cell")).to_have_count(5)
    note = lab.cells()[1]
    assert (note["cell_type"], note["source"]) == ("markdown", "```\ntotal: 3\n```")
    screenshot("inserted")


def test_the_keyboard_reaches_the_buttons_of_code_in_a_saved_notebook(lab, answered, screenshot):
    lab.save()
    lab.close_all()
    lab.open("code.ipynb")
    with lab.width(700):
        # The cursor is in the empty message below, until it is moved.
        expect(lab.cell(1).locator(".cm-content")).to_be_focused()
        code = lab.cell(0).locator(".msgbook-Text pre").first
        code.focus()
        lab.page.keyboard.press("Tab")
        copy = _button(lab.cell(0), "Copy the code")
        expect(copy).to_be_focused()
        lab.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        lab.page.keyboard.press("Enter")
        expect(lab.cell(0).get_by_role("status").get_by_text("Copied")).to_be_visible()
        copied = lab.page.evaluate("() => navigator.clipboard.readText()")
        assert copied == 'total = 1 + 2\nprint(f"total: {total}")'
        screenshot("keyboard-700")
        lab.page.keyboard.press("Tab")
        lab.page.keyboard.press("Enter")
        expect(lab.notebook.locator(".jp-Notebook-cell")).to_have_count(3)


def test_code_is_saved_as_a_file_that_is_replaced_only_when_asked(
    lab, lab_root, answered, screenshot
):
    (lab_root / "taken.py").write_text("precious\n")
    answered.locator("pre").nth(0).hover()
    _button(answered, "Save the code as a file").click()
    name = lab.page.locator(".jp-Dialog input")
    expect(name).to_have_value("code.py")
    screenshot("name")
    name.fill("taken.py")
    lab.page.locator(".jp-Dialog .jp-mod-accept").click()
    expect(lab.page.get_by_text("taken.py exists.")).to_be_visible()
    screenshot("replace")
    lab.page.locator(".jp-Dialog .jp-mod-reject").click()
    expect(lab.page.locator(".jp-Dialog")).to_have_count(0)
    assert (lab_root / "taken.py").read_text() == "precious\n"

    answered.locator("pre").nth(0).hover()
    _button(answered, "Save the code as a file").click()
    name.fill("new.py")
    lab.page.locator(".jp-Dialog .jp-mod-accept").click()
    expect(lab.page.get_by_text("The code is saved in new.py.")).to_be_visible()
    assert (lab_root / "new.py").read_text() == 'total = 1 + 2\nprint(f"total: {total}")\n'

    answered.locator("pre").nth(0).hover()
    _button(answered, "Save the code as a file").click()
    name.fill("nowhere/new.py")
    lab.page.locator(".jp-Dialog .jp-mod-accept").click()
    expect(lab.page.get_by_text("The code is not saved:")).to_be_visible()
    screenshot("failed")


def test_code_with_invisible_characters_is_inserted_but_not_run(lab, lab_root, model_server):
    model_server.answers = [text("```python\nprint('a\u200bb')\n```\n")]
    cell = open_and_run(lab, lab_root / "invisible.ipynb", "Code?")
    cell.locator("pre").hover()
    _button(cell, "Insert the code below as a cell and run it").click()
    expect(lab.page.get_by_text("characters that cannot be seen")).to_be_visible()
    assert lab.cells()[1]["source"] == "%%python\nprint('a\u200bb')"
    assert lab.cells()[1]["outputs"] == []
    assert lab.cells()[1]["execution_count"] is None
