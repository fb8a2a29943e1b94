"""Chats in the file browser, in the File menu, and as text beside their notebook."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect
from scripted_server import call, text

CHAT = "# %% [^a]\n\n[^a]: [markdown]\n\nFirst\n\n# %% [^b]\n\n[^b]: [markdown]\n\nSecond\n"


def test_the_text_beside_has_what_was_not_saved_yet(lab, lab_root):
    (lab_root / "unsaved.msg.md").write_text("")
    lab.open("unsaved.msg.md")
    lab.wait_for_kernel()
    lab.type_in(0, "Not saved")
    lab.command("msgbook:show-text-beside")

    expect(lab.page.locator(".jp-FileEditor")).to_contain_text("Not saved")


def test_the_text_beside_follows_its_notebook_and_the_other_way_round(lab, lab_root, screenshot):
    path = lab_root / "beside.msg.md"
    path.write_text(CHAT)
    lab.open("beside.msg.md")
    lab.wait_for_kernel()
    lab.command("msgbook:show-text-beside")
    editor = lab.page.locator(".jp-FileEditor")
    expect(editor).to_contain_text("Second")

    append(lab, editor, "Second", " thoughts")
    expect(lab.cell(1)).to_have_class(re.compile("jp-mod-active"))
    lab.save()
    expect(lab.cell(1).get_by_text("Second thoughts")).to_be_visible()
    screenshot("beside")


def test_an_editor_with_changes_keeps_them_when_the_notebook_is_saved(lab, lab_root):
    path = lab_root / "changed-text.msg.md"
    editor = open_beside(lab, path)
    append(lab, editor, "Second", " thoughts")

    lab.type_in(0, "Begun anew")
    lab.save()

    expect(editor).to_contain_text("Second thoughts")
    expect(editor).not_to_contain_text("Begun anew")
    assert "Begun anew" in path.read_text()
    editor.get_by_text("Second").click()
    lab.page.evaluate("() => void window.jupyterapp.commands.execute('docmanager:save')")
    expect(lab.page.locator(".jp-Dialog")).to_contain_text("has changed on disk")
    lab.page.get_by_role("button", name="Revert").click()
    expect(editor).to_contain_text("Begun anew")


def test_a_notebook_with_changes_keeps_them_when_the_text_is_saved(lab, lab_root):
    path = lab_root / "changed-notebook.msg.md"
    editor = open_beside(lab, path)
    lab.type_in(0, "Begun anew")

    append(lab, editor, "Second", " thoughts")
    lab.save()

    expect(lab.page.locator(".jp-Document.jp-mod-dirty, .jp-mod-dirty").first).to_be_visible()
    assert "Second thoughts" in path.read_text()
    expect(lab.cell(0).get_by_text("Begun anew")).to_be_visible()
    expect(lab.cell(1).get_by_text("Second thoughts")).to_have_count(0)


def test_what_is_saved_in_the_notebook_stands_in_the_text(lab, lab_root, screenshot):
    editor = open_beside(lab, lab_root / "to-text.msg.md")
    lab.type_in(1, "Second thoughts")
    lab.save()

    expect(editor).to_contain_text("Second thoughts")
    expect(lab.cell(1)).to_have_class(re.compile("jp-mod-active"))
    screenshot("light")
    with lab.dark():
        screenshot("dark")
    with lab.width(700):
        screenshot("narrow")


def test_a_turn_that_runs_keeps_its_cell_when_the_text_is_saved(lab, lab_root, model_server):
    model_server.answers = [call("mkdir", {"path": "made-beside"}), text("It is made.")]
    path = lab_root / "running.msg.md"
    editor = open_beside(lab, path)
    lab.run(0)
    approve = lab.cell(0).get_by_role("button", name="Approve", exact=True)
    expect(approve).to_be_enabled()
    lab.save()
    expect(editor).to_contain_text("made-beside")

    append(lab, editor, "Second", " thoughts")
    lab.save()
    approve.click()

    expect(lab.cell(0).get_by_text("It is made.")).to_be_visible()
    assert "Second thoughts" in path.read_text()


SECTION = """\
---
title: Notes
message_section: Log
---

# Notes

Prose with a line that looks like a cell:

# %% not a cell

## Log

### %% [^q1]

[^q1]: [markdown]

First

### %% [^q2]

[^q2]: [markdown]

Second
"""


def test_a_markdown_file_with_a_message_section_opens_as_a_chat_by_its_context_menu(
    lab, lab_root, model_server, screenshot
):
    model_server.answers = [text("An answer.")]
    path = lab_root / "section.md"
    path.write_text(SECTION)
    open_menu(lab, "section.md")
    item = lab.page.locator(".lm-Menu-itemLabel", has_text="Open as Chat")
    expect(item).to_be_visible()
    screenshot("menu")
    item.click()

    lab.wait_for_kernel()
    expect(lab.notebook.get_by_text("Chat (msgbook)")).to_be_visible()
    # The last one is ready for the next message.
    expect(lab.notebook.locator(".jp-Notebook-cell")).to_have_count(3)
    lab.run(1)
    expect(lab.cell(1).get_by_text("An answer.")).to_be_visible()
    lab.save()
    saved = path.read_text()
    assert "\nAn answer.\n" in saved
    above, _, below = saved.partition("## Log\n")
    assert above.endswith(SECTION.split("## Log")[0].partition("message_section: Log\n")[2])
    assert "First" in below
    screenshot("run")

    lab.command("msgbook:show-text-beside")
    editor = lab.page.locator(".jp-FileEditor:visible")
    editor.get_by_text("First").click()
    expect(lab.cell(0)).to_have_class(re.compile("jp-mod-active"))


def test_a_markdown_file_with_a_message_section_opens_as_a_chat_by_open_with(lab, lab_root):
    (lab_root / "with.md").write_text(SECTION)
    open_menu(lab, "with.md")
    lab.page.locator(".lm-Menu-itemLabel", has_text="Open With").hover()
    factories = lab.page.locator("#jp-contextmenu-open-with")
    factories.locator(".lm-Menu-itemLabel").get_by_text("Notebook", exact=True).click()

    lab.wait_for_kernel()
    expect(lab.notebook.get_by_text("Chat (msgbook)")).to_be_visible()
    # The last one is ready for the next message.
    expect(lab.notebook.locator(".jp-Notebook-cell")).to_have_count(3)


@pytest.mark.parametrize("name", ["plain", "claims"])
def test_a_markdown_file_without_a_section_is_not_opened_and_stays_what_it_is(
    lab, lab_root, screenshot, name
):
    claim = '---\njupyter:\n  msgbook:\n    frontmatter: "message_section: x"\n---\n\n'
    content = ("" if name == "plain" else claim) + "# Shopping\n\nApples\n"
    path = lab_root / f"{name}.md"
    path.write_text(content)
    open_menu(lab, path.name)
    lab.page.locator(".lm-Menu-itemLabel", has_text="Open as Chat").click()

    dialog = lab.page.locator(".jp-Dialog")
    expect(dialog).to_contain_text("This file cannot be opened as a chat")
    expect(dialog).to_contain_text(f"{name}.md has no message section")
    screenshot("said")
    with lab.width(700):
        screenshot("narrow")
    dialog.get_by_role("button", name="Close").click()
    expect(lab.page.locator(".jp-NotebookPanel")).to_have_count(0)
    assert path.read_text() == content


def test_only_markdown_files_are_offered_to_open_as_chats(lab, lab_root):
    for name in ("offered.txt", "offered.msg.md"):
        (lab_root / name).write_text("")
        open_menu(lab, name)
        expect(lab.page.locator(".lm-Menu-itemLabel", has_text="Rename")).to_be_visible()
        expect(lab.page.locator(".lm-Menu-itemLabel", has_text="Open as Chat")).to_be_hidden()
        lab.page.keyboard.press("Escape")


def test_a_text_file_is_exported_by_menu_entries_that_say_what_they_make(lab, lab_root, screenshot):
    (lab_root / "export.msg.md").write_text(CHAT)
    lab.open("export.msg.md")
    lab.wait_for_kernel()
    # An open menu is closed when an entry is added to it.
    lab.page.wait_for_function(
        """() => window.jupyterapp.serviceManager.nbconvert
            .getExportFormats(false)
            .then(() => new Promise(setTimeout))
            .then(() => true)"""
    )
    lab.page.locator(".lm-MenuBar-item", has_text="File").click()
    lab.page.locator(".lm-Menu-itemLabel", has_text="Save and Export Notebook As").hover()
    menu = lab.page.locator("#jp-mainmenu-file-notebookexport")
    ours = menu.get_by_text("Chat (HTML)", exact=True)
    expect(ours).to_be_visible()
    names = menu.locator(".lm-Menu-itemLabel").all_inner_texts()
    # Those for chats come first; the empty one is the line below them.
    assert all(name.startswith("Chat (") for name in names[:5])
    assert names[5] == ""
    assert set(names[6:]) | set(names[:5]) == {
        "AsciiDoc",
        "Chat (HTML)",
        "Chat (Markdown)",
        "Chat (PDF)",
        "Chat (notebook)",
        "Chat (slides)",
        "Executable Script",
        "HTML",
        "LaTeX",
        "Markdown",
        "PDF",
        "PDF (made with Qt)",
        "PDF (made with a browser)",
        "PNG (made with Qt)",
        "ReStructured Text",
        "Reveal.js Slides",
    }
    screenshot("menu")

    # The tab that JupyterLab opens for it ends with its download; here the page itself downloads.
    lab.page.evaluate(
        """() => {
            const was = window.open;
            window.open = Object.assign(url => { window.location.href = url; }, { was });
        }"""
    )
    with lab.page.expect_download() as download:
        ours.click()
    exported = download.value
    assert exported.suggested_filename == "export.html"
    assert "<p>Second</p>" in exported.path().read_text()
    # None is called as the chat: saved beside it, it would take its place.
    for kind, name in {
        "msgmarkdown": "export.md",
        "msgnotebook": "export.ipynb",
        "msgslides": "export.slides.html",
    }.items():
        with lab.page.expect_download() as download:
            lab.command("notebook:export-to-format", format=kind)
        assert download.value.suggested_filename == name
    lab.page.evaluate("() => { window.open = window.open.was; }")


def open_beside(lab, path):
    """Write a chat of two cells and open it with its text beside; return the editor."""
    path.write_text(CHAT)
    lab.open(path.name)
    lab.wait_for_kernel()
    lab.command("msgbook:show-text-beside")
    editor = lab.page.locator(".jp-FileEditor:visible")
    expect(editor).to_contain_text("Second")
    return editor


def append(lab, editor, line, words):
    """Write words at the end of a line of a text editor, which is in front afterwards."""
    editor.get_by_text(line).click()
    lab.page.keyboard.press("End")
    lab.page.keyboard.insert_text(words)


def open_menu(lab, name):
    """Open the context menu of a file in the file browser."""
    lab.command("filebrowser:refresh")
    lab.page.locator(".jp-DirListing-itemText", has_text=name).click(button="right")
