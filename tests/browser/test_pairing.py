"""JupyterLab's own Jupytext menu on a message file."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import expect
from scripted_server import text

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

CHAT = """\
---
# mine
---

##  %% Hello [^a]
[^a]:   [markdown]

What is this?

# %% [^b]

[^b]: [markdown]

And that?
"""


@pytest.fixture
def folder(lab, lab_root, request):
    """A folder of its own: the menu makes files."""
    path = lab_root / f"pairing-{abs(hash(request.node.name))}"
    path.mkdir()
    (path / "chat.msg.md").write_text(CHAT)
    return path


def open_and_pair(lab, folder):
    lab.open(f"{folder.name}/chat.msg.md")
    lab.wait_for_kernel()
    choose_ipynb(lab)
    lab.save()


def choose_ipynb(lab):
    """File > Jupytext > Pair Notebook with ipynb document."""
    lab.page.locator(".lm-MenuBar-item", has_text="File").click()
    lab.page.locator(".lm-Menu-itemLabel", has_text="Jupytext").first.hover()
    lab.page.locator(".lm-Menu-itemLabel", has_text="with ipynb").click()


def names(folder):
    return {path.name for path in folder.iterdir() if path.is_file()}


def test_the_menu_pairs_a_message_file_and_takes_the_pair_apart(lab, folder, screenshot):
    open_and_pair(lab, folder)

    assert names(folder) == {"chat.msg.md", "chat.ipynb"}
    paired = (folder / "chat.msg.md").read_text()
    assert paired.startswith("---\n# mine\njupyter:\n")
    assert paired.endswith(CHAT.split("---\n")[2])
    screenshot("paired")

    choose_ipynb(lab)
    lab.save()
    assert (folder / "chat.msg.md").read_text() == CHAT


def test_a_turn_in_a_pair_is_saved_to_both_files_without_a_question(
    lab, folder, model_server, screenshot
):
    open_and_pair(lab, folder)
    model_server.answers = [text("It is **this**.")]

    lab.run(1)
    expect(lab.cell(1).locator("strong", has_text="this")).to_be_visible()
    lab.save()
    lab.save()

    expect(lab.page.locator(".jp-Dialog")).to_have_count(0)
    assert "It is **this**." in (folder / "chat.msg.md").read_text()
    assert "It is **this**." in (folder / "chat.ipynb").read_text()


def test_a_notebook_that_was_executed_elsewhere_opens_from_its_text(lab, folder, screenshot):
    open_and_pair(lab, folder)
    lab.close_all()
    path = folder / "chat.ipynb"
    notebook = json.loads(path.read_text())
    data = {"text/plain": "made elsewhere"}
    notebook["cells"][-1]["outputs"] = [
        {"output_type": "display_data", "data": data, "metadata": {}}
    ]
    path.write_text(json.dumps(notebook))

    lab.open(f"{folder.name}/chat.msg.md")

    expect(lab.notebook.get_by_text("made elsewhere")).to_be_visible()
    expect(lab.page.locator(".jp-Dialog")).to_have_count(0)
    screenshot("opened")
