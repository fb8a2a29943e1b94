"""Notebook 7, which shows one document in a page: the chat, the panels, and each command that is offered."""

from __future__ import annotations

import pytest
from chats import saved_turn, write_notebook
from elsewhere import ROOT, chat, needs
from lab import Lab, running_lab
from playwright.sync_api import expect
from scripted_server import text

from msgbook_format.syntax import CODE_FIRST_KERNELSPEC

NOTEBOOK = ROOT / ".notebook7"

pytestmark = needs(NOTEBOOK)


@pytest.fixture(scope="module")
def notebook_url(root, log, settings):
    share = NOTEBOOK / "share" / "jupyter"
    installed = {
        "PYTHONPATH": str(NOTEBOOK),
        "JUPYTER_PATH": str(share),
        "JUPYTER_CONFIG_PATH": str(NOTEBOOK / "etc" / "jupyter"),
        "JUPYTERLAB_DIR": str(share / "lab"),
    }
    with running_lab(root, log, {**settings, **installed}, program=("notebook",)) as url:
        yield url


@pytest.fixture
def lab(root, notebook_url, new_tab):
    """A chat that is open."""
    write_notebook(root / "chat.ipynb", "Write a file")
    opened = new_tab(notebook_url)
    opened.load_at("/notebooks/chat.ipynb")
    return opened


def test_a_chat_in_notebook_7_with_its_panels_and_pickers(lab, root, model_server, screenshots):
    chat(lab, root, model_server)
    screenshots(lab, "turn")

    page = lab.page
    expect(page.get_by_role("button", name="Agent of this notebook: assistant")).to_be_visible()
    lab.command("msgbook:open-context")
    expect(page.locator("#msgbook-context").get_by_role("heading", name="Cell 1")).to_be_visible()
    lab.command("msgbook:show-agents")
    expect(page.get_by_role("region", name="Conversations").get_by_text("chat")).to_be_visible()
    screenshots(lab, "context-and-conversations")
    lab.command("msgbook:open-approvals")
    expect(page.locator("#msgbook-approvals").get_by_text("No call waits")).to_be_visible()
    expect(page.locator("#msgbook-context")).to_be_hidden()
    assert lab.console == []


def test_a_python_notebook_that_talks_in_notebook_7(
    root, notebook_url, new_tab, model_server, screenshots
):
    sources = ("x = 6 * 7\nx", "%%msg\nWhat is @[py:x]?", "x + 1", "%%msg\nAnd now?")
    write_notebook(root / "analysis.ipynb", *sources, spec=CODE_FIRST_KERNELSPEC)
    model_server.answers = [text("It is **42**."), text("43.")]
    lab = new_tab(notebook_url)
    lab.load_at("/notebooks/analysis.ipynb")
    lab.wait_for_kernel()
    for number in range(3):
        lab.run(number)
        expect(lab.cell(number).locator(".jp-InputPrompt")).to_have_text(f"[{number + 1}]:")

    expect(lab.cell(1).get_by_text("It is 42.")).to_be_visible()
    expect(lab.cell(2).locator(".jp-OutputArea-output")).to_contain_text("43")
    kind = lab.notebook.get_by_label("Kind of cell")
    for number, name in enumerate(("python", "message", "python", "message")):
        lab.cell(number).locator(".jp-InputPrompt").click()
        expect(kind).to_have_value(name)
    lab.command("msgbook:open-context")
    panel = lab.page.locator("#msgbook-context")
    expect(panel.get_by_role("heading", name="Cell 4")).to_be_visible()
    expect(panel.locator(".msgbook-Context-number")).to_have_text(["1", "2", "3", "4"])
    screenshots(lab, "context")
    lab.type_in(0, "x = 6 * 8\nx")
    expect(lab.cell(1).locator(".msgbook-Stale")).to_contain_text("cell 1 has changed")
    screenshots(lab, "stale")
    lab.save()
    assert saved_turn(root / "analysis.ipynb", 1)["status"] == "done"
    assert lab.console == []


def test_the_form_that_connects_a_model_opens_beside_the_notebook(lab, screenshots):
    lab.wait_for_kernel()
    lab.command("msgbook:connect-model")
    form = lab.page.locator(".msgbook-SetupPanel")
    expect(form.get_by_role("combobox").first).to_be_in_viewport()
    screenshots(lab, "form")
    assert lab.console == []


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("msgbook:new-chat", "Untitled.ipynb"),
        ("msgbook:new-chat-file", "untitled.msg.md"),
        ("msgbook:open-tour", "tour.msg.md"),
        ("msgbook:fork-conversation", "chat-fork.ipynb"),
    ],
)
def test_what_opens_a_chat_opens_it_in_a_page_of_its_own(lab, command, name):
    lab.wait_for_kernel()
    with lab.page.expect_popup() as opened:
        lab.command(command)
    other = Lab(opened.value, lab.page.url)
    expect(other.cell(0)).to_be_visible()
    assert name in opened.value.url


def test_what_needs_two_documents_in_a_page_is_not_offered(lab):
    offered = lab.page.evaluate("() => window.jupyterapp.commands.listCommands()")
    assert "msgbook:open-context" in offered
    assert "msgbook:show-text-beside" not in offered
