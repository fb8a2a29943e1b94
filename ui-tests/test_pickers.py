"""The agent and the model in the toolbar of a chat."""

from __future__ import annotations

import nbformat
from playwright.sync_api import expect
from scripted_server import text

CHAT = """\
---
# Who speaks here.
agents:
  writer: {models: large, description: Writes plain English.}
  critic: {models: small, system_prompt: You criticise.}
---

# %% [^a]

Hi
"""


def picker(lab, name):
    return lab.notebook.locator(f".jp-NotebookPanel-toolbar [data-jp-item-name='msgbook-{name}']")


def open_list(lab, name):
    """Open a list of the toolbar, wherever the toolbar has room for it."""
    picker(lab, name).locator("button").click()
    dialog = lab.page.get_by_role("dialog", name=f"{name.capitalize()} of this notebook")
    expect(dialog.get_by_role("option").first).to_be_visible()
    return dialog


def ours(lab):
    return lab.page.evaluate(
        "() => window.jupyterapp.shell.currentWidget.content.model.getMetadata('msgbook')"
    )


def test_the_agent_and_the_model_of_a_notebook_are_chosen_in_its_toolbar(
    lab, lab_root, model_server, screenshot
):
    path = lab_root / "pickers.msg.md"
    path.write_text(CHAT)
    model_server.models = ["small", "large", "other/model"]
    model_server.answers = [text("I criticise.")]
    lab.open("pickers.msg.md")
    lab.wait_for_kernel()
    expect(picker(lab, "agent")).to_contain_text("writer")
    expect(picker(lab, "model")).to_contain_text("large")
    before = ours(lab)

    agents = open_list(lab, "agent")
    expect(agents.get_by_role("option", selected=True)).to_contain_text("writer")
    expect(agents.get_by_role("option")).to_have_count(5)
    screenshot("agents")
    with lab.dark():
        lab.page.keyboard.press("Escape")
        agents = open_list(lab, "agent")
        screenshot("agents-dark")
        lab.page.keyboard.press("Escape")
    agents = open_list(lab, "agent")
    lab.page.keyboard.type("crit")
    expect(agents.get_by_role("option")).to_have_count(1)
    lab.page.keyboard.press("Enter")

    expect(picker(lab, "agent")).to_contain_text("critic")
    expect(picker(lab, "model")).to_contain_text("small")
    assert ours(lab)["frontmatter"].endswith("default_agent: critic\n")

    models = open_list(lab, "model")
    expect(models.get_by_role("option")).to_have_count(4)
    screenshot("models")
    models.get_by_role("option", name="other/model").click()
    expect(picker(lab, "model")).to_contain_text("other/model")
    assert ours(lab)["model"] == "other/model"
    lab.run(0)
    expect(lab.cell(0).get_by_text("I criticise.")).to_be_visible()
    request = model_server.requests[-1]
    assert (request["model"], request["messages"][0]["content"][:14]) == (
        "other/model",
        "You criticise.",
    )
    lab.type_in(1, "%agent")
    lab.run(1)
    expect(lab.cell(1).get_by_text("model: other/model")).to_be_visible()
    lab.save()
    saved = path.read_text()
    assert saved.startswith(CHAT[: CHAT.index("---\n\n")] + "default_agent: critic\njupyter:\n")
    assert 'model: "other/model"' in saved

    lab.page.set_viewport_size({"width": 700, "height": 900})
    screenshot("narrow")
    lab.page.set_viewport_size({"width": 1280, "height": 900})
    assert before.keys() <= ours(lab).keys()


def test_a_new_agent_is_made_from_the_list_and_answers_by_its_name(
    lab, lab_root, model_server, screenshot
):
    (lab_root / "new-agent.msg.md").write_text("# %% [^a]\n\nHi\n")
    model_server.answers = [text("I criticise.")]
    lab.open("new-agent.msg.md")
    lab.wait_for_kernel()
    expect(picker(lab, "model")).to_contain_text("scripted-model")
    lab.cell(0).locator(".jp-InputPrompt").click()
    open_list(lab, "agent").get_by_role("option", name="New agent…").click()
    line = lab.cell(0).locator(".cm-content")
    expect(line).to_have_text("%agent new name models=scripted-model")
    expect(line).to_be_focused()
    screenshot("line")
    lab.page.keyboard.type("critic")
    expect(line).to_have_text("%agent new critic models=scripted-model")
    lab.page.keyboard.press("Escape")
    lab.run(0)
    expect(lab.cell(0).get_by_text("Made the agent critic")).to_be_visible()
    expect(open_list(lab, "agent").get_by_role("option", name="critic")).to_be_visible()
    lab.page.keyboard.press("Escape")

    lab.type_in(1, "%%msg agent=critic\nHi")
    lab.run(1)
    expect(lab.cell(1).get_by_text("I criticise.")).to_be_visible()
    expect(lab.cell(1).locator(".msgbook-Header-agent")).to_have_text("critic")


def test_a_choice_is_undone_by_itself(lab, lab_root, model_server):
    (lab_root / "undone.msg.md").write_text(CHAT)
    model_server.models = ["small", "large"]
    lab.open("undone.msg.md")
    lab.wait_for_kernel()
    expect(picker(lab, "agent")).to_contain_text("writer")
    lab.type_in(0, "Hello")
    before = ours(lab)
    open_list(lab, "agent").get_by_role("option", name="critic").click()
    expect(picker(lab, "agent")).to_contain_text("critic")
    open_list(lab, "model")
    lab.page.keyboard.type("typed")
    lab.page.keyboard.press("Enter")
    expect(picker(lab, "model")).to_contain_text("typed")

    lab.command("notebook:undo-cell-action")
    expect(picker(lab, "model")).to_contain_text("small")
    expect(picker(lab, "agent")).to_contain_text("critic")
    lab.command("notebook:undo-cell-action")

    expect(picker(lab, "agent")).to_contain_text("writer")
    assert ours(lab) == before
    assert lab.cells()[0]["source"] == "Hello"


def test_a_notebook_of_another_kernel_has_no_pickers(lab, lab_root):
    spec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(
        nbformat.v4.new_notebook(metadata={"kernelspec": spec}), lab_root / "plain.ipynb"
    )
    lab.open("plain.ipynb")
    lab.wait_for_kernel()
    expect(lab.notebook.locator(".jp-NotebookPanel-toolbar")).to_contain_text("Python 3")
    expect(picker(lab, "agent")).to_be_hidden()
