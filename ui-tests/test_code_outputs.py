"""Outputs of code in JupyterLab: the times of their runs, and what `history=` hides of them."""

from __future__ import annotations

import re

from playwright.sync_api import expect
from scripted_server import text

from msgbook_format import check

CODE = """\
# %% [^sum]

[^sum]: [code]

```python
print(1 + 2)
```

# %% [^quiet]

[^quiet]: [code]

```python
1 / 0
```

# %% [^ask]

[^ask]: [markdown]

How many?
"""

HIDDEN = """\
# %% [^code]

[^code]: [code]

```python
import sys; print("the word is", "".join(["sword", "fish"]))
```

# %%% [^code.1]

[^code.1]: [python] history="none" n=1

stdout> the word is swordfish

# %%% [^code.1.2]

[^code.1.2]: [python] mime_type="text/plain"

shown

# %% [^a]

What is the word?

# %% [^b]

And now?
"""


def test_the_times_of_a_run_are_saved_as_attributes_of_its_first_output(
    lab, lab_root, model_server
):
    path = lab_root / "times.msg.md"
    path.write_text(CODE)
    model_server.answers = [text("Three.")]
    lab.open("times.msg.md")
    lab.wait_for_kernel()

    lab.run(0)
    lab.run(1)
    # An error cancels the runs that wait.
    lab.page.wait_for_function(
        """() => Array.from(jupyterapp.shell.currentWidget.content.model.cells)
            .slice(0, 2).every(cell => cell.getMetadata('execution') !== undefined)"""
    )
    lab.run(2)
    expect(lab.cell(2).locator(".msgbook-Text")).to_contain_text("Three.")
    lab.save()

    saved = path.read_text()
    times = r'time="20\d\d-[^"]+Z" status="(\w+)" duration=[0-9.]+s'
    assert re.findall(rf"\[python\] {times}(?: n=1| output=error)", saved) == ["success"]
    assert re.findall(r'\[python\] time="20[^"]+Z" duration=[0-9.]+s output=error', saved)
    assert "metadata=" not in saved
    assert check(saved) == []


def test_a_hidden_display_stays_hidden_also_when_its_cell_runs_again(lab, lab_root, model_server):
    path = lab_root / "display.msg.md"
    path.write_text(
        "# %% [^code]\n\n[^code]: [code]\n\n```python\n'sword' + 'fish'\n```\n\n# %%% [^code.1]\n\n"
        '[^code.1]: [python] output=execute_result mime_type="text/plain" history="none" n=1\n\n'
        "'swordfish'\n\n# %% [^a]\n\nWhat is the word?\n"
    )
    model_server.answers = [text("No idea.")]
    lab.open("display.msg.md")
    lab.wait_for_kernel()

    lab.run(0)
    expect(lab.cell(0).locator(".jp-InputPrompt")).to_contain_text("[1]")
    lab.run(1)

    expect(lab.cell(1).locator(".msgbook-Text")).to_contain_text("No idea.")
    expect(lab.cell(1)).to_contain_text("You hid an output of cell 1")
    assert "swordfish" not in str(model_server.requests[0]["messages"])


def test_a_hidden_stream_stays_hidden_also_when_its_cell_runs_again(lab, lab_root, model_server):
    path = lab_root / "hidden.msg.md"
    path.write_text(HIDDEN)
    model_server.answers = [text("No idea."), text("Still none.")]
    lab.open("hidden.msg.md")
    lab.wait_for_kernel()
    lab.run(1)
    expect(lab.cell(1).locator(".msgbook-Text")).to_contain_text("No idea.")
    first = str(model_server.requests[0]["messages"])
    assert "shown" in first
    assert "swordfish" not in first

    lab.type_in(0, '%%python\nprint("the word is now", "".join(["sword", "fish"]))')
    lab.run(0)
    expect(lab.cell(0).locator(".jp-OutputArea-output")).to_have_text("the word is now swordfish")
    lab.run(2)
    expect(lab.cell(2).locator(".msgbook-Text")).to_contain_text("Still none.")
    assert "swordfish" not in str(model_server.requests[1]["messages"])
    expect(lab.cell(2)).to_contain_text("You hid an output of cell 1")
    lab.save()

    assert "stale-output-history" in [finding.code for finding in check(path.read_text())]
