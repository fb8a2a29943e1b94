"""axe-core finds no serious violation in panels, pickers, forms and marks, in three themes."""

from __future__ import annotations

import json

import pytest
from axe import OURS, all_violations
from chat_pages import open_chat, prompt, select
from chats import Slow, answer, approve, open_and_run, write_notebook
from playwright.sync_api import Locator, expect
from saved_turns import display, result, write_turn
from scripted_server import call, text
from team import dispatch, play, report


@pytest.fixture
def judge(lab, screenshot):
    """Fails if axe-core finds something."""

    def judge(state: str, within: str = OURS) -> None:
        assert "\n".join(all_violations(lab, screenshot, state, within)) == ""

    return judge


@pytest.fixture(autouse=True)
def closed_again(lab):
    """The side panels are as before for the next test."""
    yield
    lab.command("filebrowser:activate")
    lab.page.evaluate("() => window.jupyterapp.shell.collapseRight()")


def open_all(box: Locator) -> None:
    """Open what is folded, and what is folded in it."""
    closed = box.locator("details:not([open]) > summary").locator("visible=true")
    while closed.count():
        closed.first.click()


def test_the_panel_context_the_status_bar_the_marks_of_cells_and_stale_turns(
    lab, lab_root, model_server, judge
):
    model_server.choose = lambda _request: text("Yes.")
    cells = (
        prompt("a", "#define city Rome\nOne"),
        prompt("b", "%%msg history=exclude\nTwo"),
        prompt("c", "Three"),
    )
    open_chat(lab, lab_root, "axe-context.ipynb", *cells)
    for number in (0, 1):
        lab.run(number)
        expect(lab.cell(number).locator("[data-status=done]")).to_be_visible()
    lab.type_in(0, "#define city Rome\nOne, but otherwise")
    expect(lab.cell(0).locator(".msgbook-Stale")).to_be_visible()
    select(lab, 2)
    lab.command("msgbook:open-context")
    panel = lab.page.locator(".msgbook-Context")
    expect(panel.locator("h3")).to_have_text("Cell 3: Three")
    open_all(panel)
    expect(lab.page.locator(".msgbook-Usage-button")).to_be_visible()

    judge("context")


def test_the_panel_agents_with_running_sub_agents(lab, lab_root, model_server, judge):
    parent = [dispatch("Wait for rain", "Read the parser"), text("All have reported.")]
    waiting = Slow("I wait", " no more")
    model_server.choose = play(parent, {"Wait": waiting.answer, "Read": report("No bugs.")})
    (lab_root / "axe-team" / ".msgbook").mkdir(parents=True)
    write_notebook(lab_root / "axe-team" / "team.ipynb", "Ask the team")
    lab.open("axe-team/team.ipynb")
    lab.wait_for_kernel()
    lab.command("msgbook:show-agents")
    lab.run(0)
    answer(approve(lab.cell(0)))
    rows = lab.page.locator(".msgbook-AgentsPanel-agent")
    expect(rows.filter(has_text="Read the parser").last).to_contain_text("done")
    expect(rows.filter(has_text="Wait for rain").last).to_contain_text("running")

    judge("agents")
    waiting.go()
    expect(lab.cell(0).get_by_text("All have reported.", exact=True)).to_be_visible()


def test_the_panel_approvals_with_a_question_a_rule_and_its_form(
    lab, lab_root, model_server, judge
):
    model_server.answers = [
        call("mkdir", {"path": "axe-notes"}),
        call("write", {"path": "axe-two.txt", "content": "Two\n"}),
    ]
    cell = open_and_run(lab, lab_root / "axe-approvals.ipynb", "Make a folder")
    answer(cell.get_by_role("button", name="Always approve this call"))
    lab.command("msgbook:open-approvals")
    panel = lab.page.locator(".msgbook-Approvals")
    expect(panel.locator(".msgbook-Question")).to_have_count(1)
    expect(panel.locator(".msgbook-Rule")).to_have_count(1)
    panel.get_by_role("button", name="Add a rule").click()
    panel.get_by_label("Tool").fill("shell")
    panel.get_by_role("button", name="Save the rule").click()
    expect(panel.locator(".msgbook-Rules-problem")).to_be_visible()
    expect(lab.page.locator(".msgbook-mod-deaf")).to_have_count(0)

    judge("approvals")


@pytest.mark.parametrize("name", ["agent", "model"])
def test_an_open_picker(lab, lab_root, model_server, judge, name):
    model_server.models = ["small", "large"]
    open_chat(lab, lab_root, f"axe-{name}.ipynb", prompt("a", "One"))
    lab.notebook.get_by_role("button", name=f"{name.capitalize()} of this notebook").click()
    expect(lab.page.get_by_role("dialog").get_by_role("option").first).to_be_visible()

    judge("picker")
    expect(lab.page.get_by_role("dialog").get_by_role("option").first).to_be_visible()
    lab.page.keyboard.press("Escape")


def test_the_form_that_connects_a_model(lab, judge):
    lab.command("msgbook:connect-model")
    form = lab.page.locator(".msgbook-Setup")
    form.get_by_label("URL").fill("http://127.0.0.1:1/v1")
    form.get_by_label("In an environment variable").check()
    form.get_by_label("Name of the environment variable").fill("MY_KEY")
    form.get_by_role("button", name="List Models").click()
    expect(form.get_by_role("alert")).to_be_visible()

    judge("form")


def test_the_launchers_section(lab, judge):
    card = lab.page.locator(".jp-LauncherCard[data-category='Chat']:visible")
    expect(card.first).to_be_visible()

    judge("launcher", ".jp-LauncherCard[data-category='Chat']")


def test_the_menu_of_a_cell(lab, lab_root, judge):
    open_chat(lab, lab_root, "axe-menu.ipynb", prompt("a", "One"))
    select(lab, 0)
    lab.command("msgbook:open-cell-menu")
    expect(lab.page.locator(".lm-Menu")).to_be_visible()

    # The list around them is JupyterLab's.
    judge("menu", ".lm-Menu .lm-Menu-item")
    lab.page.keyboard.press("Escape")


def test_displays_a_json_tree_a_long_result_and_the_demo_models_hint(lab, lab_root, judge):
    lines = "\n".join(f"line {n}: {'needle' if n == 700 else 'hay'}" for n in range(1000))
    tree = json.dumps({"users": [{"name": "Ada"}, None, True], "count": 2})
    html = "<table><tr><th>name</th></tr><tr><td>Ada</td></tr></table><script>1</script>"
    chart = {"data": {"url": "http://leak.invalid/cars.json"}, "mark": "bar"}
    write_turn(
        lab_root / "axe-rich.ipynb",
        *result(tree),
        *result(lines),
        display({"text/html": html}),
        display({"application/vnd.vegalite.v5+json": chart}),
        display({"application/json": {"a": {"b": 1}}}),
        {"type": "text", "text": "```mermaid\ngraph LR\n  A[Start] --> B[End]\n```"},
        model="demo",
        provider="demo",
        context={"cells": 0},
    )
    lab.open("axe-rich.ipynb")
    cell = lab.cell(0)
    expect(cell.locator(".msgbook-DemoHint")).to_be_visible()
    open_all(cell)
    cell.get_by_role("searchbox").fill("needle")
    expect(cell.get_by_role("status")).to_have_text("1 match")
    expect(cell.locator(".msgbook-Diagram-image")).to_be_visible()

    judge("rich")
