"""Pairs of a notebook and a message file, by Jupytext's menu and by our own command."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from playwright.sync_api import expect
from scripted_server import text

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
    path.mkdir(exist_ok=True)
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


NOTEBOOK = {
    "nbformat": 4,
    "nbformat_minor": 5,
    "metadata": {
        "kernelspec": {"name": "msgbook", "display_name": "Chat (msgbook)", "language": "msgbook"}
    },
    "cells": [
        {
            "cell_type": "code",
            "id": "a",
            "source": "What is this?",
            "metadata": {},
            "outputs": [],
            "execution_count": None,
        }
    ],
}


@pytest.fixture
def notebook(folder) -> Path:
    """A notebook alone in its folder."""
    (folder / "chat.msg.md").unlink()
    path = folder / "chat.ipynb"
    path.write_text(json.dumps(NOTEBOOK))
    return path


def open_notebook(lab, path):
    lab.open(f"{path.parent.name}/{path.name}")
    lab.wait_for_kernel()


def choose_in_palette(lab, words):
    lab.command("apputils:activate-command-palette")
    palette = lab.page.locator(".jp-ModalCommandPalette")
    palette.locator("input").fill(words)
    palette.locator(".lm-CommandPalette-item", has_text=words).click()


def expect_told(lab, words, screenshot=None):
    """Expect a notification, and take it away."""
    toast = lab.page.locator(".Toastify__toast", has_text=words)
    expect(toast).to_be_visible()
    toast.hover()
    if screenshot:
        screenshot("told")
    toast.get_by_role("button").first.click()
    expect(toast).to_have_count(0)


def write_later(path, content):
    """Write a file as somebody does a minute after the last save."""
    path.write_text(content)
    later = path.stat().st_mtime + 60
    os.utime(path, (later, later))


def test_the_palette_pairs_a_notebook_and_what_is_edited_in_the_text_opens_in_it(
    lab, notebook, screenshot
):
    text_file = notebook.with_name("chat.msg.md")
    open_notebook(lab, notebook)

    choose_in_palette(lab, "Pair Notebook with Message File")

    expect_told(lab, "chat.ipynb is now paired with chat.msg.md", screenshot)
    assert "\nWhat is this?\n" in text_file.read_text()
    lab.close_all()
    write_later(text_file, text_file.read_text().replace("What is this?", "What was this?"))
    open_notebook(lab, notebook)
    expect(lab.cell(0).get_by_text("What was this?")).to_be_visible()
    expect(lab.page.locator(".jp-Dialog")).to_have_count(0)
    lab.save()
    assert "What was this?" in notebook.read_text()


def test_files_that_are_no_pair_any_more_do_not_follow_each_other(lab, notebook, screenshot):
    text_file = notebook.with_name("chat.msg.md")
    open_notebook(lab, notebook)
    choose_in_palette(lab, "Pair Notebook with Message File")
    expect_told(lab, "is now paired with")

    choose_in_palette(lab, "Unpair Notebook from Message File")

    expect_told(lab, "Both files stay", screenshot)
    assert "jupytext" not in notebook.read_text()
    alone = text_file.read_text()
    assert "jupytext" not in alone
    lab.type_in(0, "What will this be?")
    lab.save()
    assert text_file.read_text() == alone
    lab.close_all()
    write_later(text_file, alone.replace("What is this?", "What was this?"))
    open_notebook(lab, notebook)
    expect(lab.cell(0).get_by_text("What will this be?")).to_be_visible()
    expect(lab.page.locator(".jp-Dialog")).to_have_count(0)


def test_a_pair_that_the_server_refuses_leaves_notebook_and_folder_as_they_were(
    lab, notebook, screenshot
):
    with_markdown = {**NOTEBOOK["metadata"], "jupytext": {"formats": "ipynb,md"}}
    notebook.write_text(json.dumps({**NOTEBOOK, "metadata": with_markdown}))
    before = notebook.read_text()
    open_notebook(lab, notebook)

    choose_in_palette(lab, "Pair Notebook with Message File")

    dialog = lab.page.locator(".jp-Dialog", has_text="File Save Error")
    expect(dialog).to_contain_text("ipynb,.msg.md:msg")
    screenshot("refused")
    dialog.get_by_role("button").last.click()
    expect_told(lab, "not paired with chat.msg.md")
    assert notebook.read_text() == before
    assert names(notebook.parent) == {"chat.ipynb"}
    formats = "() => jupyterapp.shell.currentWidget.context.model.getMetadata('jupytext').formats"
    assert lab.page.evaluate(formats) == "ipynb,md"


def test_the_file_menu_shows_whether_a_message_file_is_paired(lab, folder, screenshot):
    lab.open(f"{folder.name}/chat.msg.md")
    lab.wait_for_kernel()
    item = lab.page.locator(".lm-Menu-item", has_text="Pair Message File with Notebook")

    lab.page.locator(".lm-MenuBar-item", has_text="File").click()
    expect(item).not_to_have_class("lm-mod-toggled")
    item.click()
    expect_told(lab, "chat.msg.md is now paired with chat.ipynb")

    lab.page.locator(".lm-MenuBar-item", has_text="File").click()
    expect(
        lab.page.locator(".lm-Menu-item.lm-mod-toggled", has_text="Pair Message")
    ).to_be_visible()
    screenshot("toggled")
    item.click()
    expect_told(lab, "Both files stay")
    assert (folder / "chat.msg.md").read_text() == CHAT
    assert "jupytext" not in json.loads((folder / "chat.ipynb").read_text())["metadata"]


def test_an_existing_file_is_replaced_only_after_confirmation(lab, notebook, screenshot):
    text_file = notebook.with_name("chat.msg.md")
    text_file.write_text(CHAT)
    open_notebook(lab, notebook)
    dialog = lab.page.locator(".jp-Dialog", has_text="chat.msg.md already exists")

    choose_in_palette(lab, "Pair Notebook with Message File")
    expect(dialog).to_be_visible()
    screenshot("asked")
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_have_count(0)
    assert text_file.read_text() == CHAT
    assert json.loads(notebook.read_text()) == NOTEBOOK

    choose_in_palette(lab, "Pair Notebook with Message File")
    dialog.get_by_role("button", name="Replace").click()
    expect_told(lab, "is now paired with")
    assert "And that?" not in text_file.read_text()
