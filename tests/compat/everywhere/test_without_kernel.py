"""A saved conversation is shown in full without a kernel, and where the chat kernel is not installed."""

from __future__ import annotations

import nbformat
import pytest
from chats import answer, approve, write_notebook
from lab import Lab, running_lab
from playwright.sync_api import expect
from scripted_server import call, text


@pytest.fixture(scope="module")
def saved(root, log, settings, browser, model_server):
    """A conversation that a kernel has written: reasoning, a call, its result and an answer."""
    write_notebook(root / "chat.ipynb", "Write a file")
    model_server.answers = [
        call("write", {"path": "made.txt", "content": "made\n"}),
        text("I **wrote** it.", reasoning="The user wants a file."),
    ]
    with running_lab(root, log.with_name("first.txt"), settings) as url:
        context = browser.new_context()
        lab = Lab(context.new_page(), url)
        lab.load("chat.ipynb")
        lab.wait_for_kernel()
        lab.run(0)
        answer(approve(lab.cell(0)))
        expect(lab.cell(0).locator("[data-status=done]")).to_be_visible()
        lab.save()
        context.close()
    return root / "chat.ipynb"


def expect_all_of_it(lab) -> None:
    cell = lab.cell(0)
    expect(cell.get_by_text("I wrote it.")).to_be_visible()
    expect(cell.locator("[data-status=done]")).to_be_visible()
    # A finished call has no line of its own: it stands in that of its result.
    call = cell.locator(".msgbook-mod-step")
    expect(call).to_contain_text("Wrote made.txt: 5 bytes.")
    expect(call).to_contain_text("approved by you")
    for block in (call, cell.locator(".msgbook-Reasoning")):
        block.locator("> summary").click()
    expect(cell.get_by_text("The user wants a file.")).to_be_visible()
    expect(call.get_by_label("Arguments of the call")).to_contain_text('"content": "made\\n"')


def test_without_a_kernel(root, log, settings, saved, new_tab, screenshots):
    notebook = nbformat.read(saved, 4)
    del notebook.metadata["kernelspec"]
    nbformat.write(notebook, root / "none.ipynb")
    with running_lab(root, log, settings) as url:
        lab = new_tab(url)
        lab.load()
        lab.command("docmanager:open", path="none.ipynb", kernelPreference={"shouldStart": False})
        expect_all_of_it(lab)
        screenshots(lab, "shown")

    assert lab.console == []


def test_where_the_chat_kernel_is_not_installed(root, log, saved, new_tab, screenshots):
    hidden = "--KernelSpecManager.allowed_kernelspecs=python3"
    with running_lab(root, log, {}, hidden) as url:
        lab = new_tab(url)
        lab.load("chat.ipynb")
        lab.page.get_by_role("dialog").get_by_role("button", name="No Kernel").click()
        expect_all_of_it(lab)
        screenshots(lab, "shown")

    assert lab.console == []
