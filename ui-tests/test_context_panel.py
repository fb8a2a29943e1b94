"""The panel Context shows what the active prompt sends, and asks no model for it."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from chat_pages import note, open_chat, prompt, select
from chats import Slow, write_notebook
from lab import Lab
from mcp_turns import FAULTY
from playwright.sync_api import Locator, expect
from scripted_server import ScriptedServer, text


@pytest.fixture
def panel(lab: Lab) -> Locator:
    lab.command("msgbook:open-context")
    return lab.page.locator(".msgbook-Context")


def row(panel: Locator, number: int) -> Locator:
    """The entry of a cell."""
    number_of = panel.page.locator(".msgbook-Context-number", has_text=str(number))
    return panel.locator(".msgbook-Context-cell").filter(has=number_of)


def test_the_request_of_the_active_prompt_is_listed_and_followed(
    lab: Lab, lab_root: Path, model_server: ScriptedServer, panel: Locator, screenshot
) -> None:
    model_server.answers = [text("It is a short list of words.")]
    open_chat(
        lab,
        lab_root,
        "context.ipynb",
        note("n", "Be brief, and write plain English."),
        prompt("a", "Summarise this paragraph about lakes and rivers in two lines"),
        prompt("b", "%%msg history=exclude\nA private thought"),
        prompt("c", "And the third?"),
    )
    lab.run(1)
    expect(lab.cell(1).locator(".jp-InputPrompt")).to_have_text("[1]:")
    asked = len(model_server.requests)

    select(lab, 3)
    expect(panel.locator("h3")).to_have_text("Cell 4: And the third?")
    expect(row(panel, 2).locator("summary")).to_have_count(2)
    expect(row(panel, 3)).to_contain_text("excluded")
    expect(row(panel, 3).get_by_title("Go to cell 3")).to_be_enabled()
    by_line = row(panel, 3).get_by_title("The %%msg line of the cell decides")
    expect(by_line).to_be_disabled()
    expect(panel).to_contain_text("writer answers, with scripted-model")
    expect(panel).to_contain_text("of a context window of 4,000")
    # The line counts the same tokens as the bar and its legend.
    legend = panel.locator(".msgbook-Context-legend")
    cached, new = (
        re.search(rf"([\d,]+) {name}", legend.inner_text()) for name in ("cached", "new")
    )
    assert cached is not None
    assert new is not None
    total = sum(int(found[1].replace(",", "")) for found in (cached, new))
    shown = f"The server may have cached about {cached[1]} of these {total:,} tokens."
    expect(panel).to_contain_text(shown)
    expect(panel).to_contain_text(f"About {total:,} tokens, ")
    screenshot("light")
    with lab.dark():
        screenshot("dark")
    lab.page.set_viewport_size({"width": 700, "height": 900})
    screenshot("narrow")
    lab.page.set_viewport_size({"width": 1280, "height": 900})

    row(panel, 2).locator("summary").nth(1).click()
    expect(row(panel, 2).locator("pre")).to_have_text("It is a short list of words.")
    screenshot("opened")

    lab.type_in(3, "Another question")
    expect(panel.locator("h3")).to_have_text("Cell 4: Another question")
    assert len(model_server.requests) == asked


def test_a_cell_is_left_out_and_taken_back_by_its_box_and_by_undo(
    lab: Lab, lab_root: Path, model_server: ScriptedServer, panel: Locator
) -> None:
    open_chat(
        lab,
        lab_root,
        "toggle.ipynb",
        prompt("a", "One", color="blue"),
        prompt("b", "%%msg history=exclude\nTwo"),
        prompt("c", "Three"),
    )
    select(lab, 2)
    box = row(panel, 1).get_by_role("checkbox")
    expect(box).to_be_checked()
    expect(row(panel, 2).get_by_role("checkbox")).to_be_disabled()

    box.click()
    expect(box).not_to_be_checked()
    expect(row(panel, 1)).to_contain_text("excluded")
    expect(row(panel, 1).locator("summary")).to_have_count(0)
    assert lab.cells()[0]["metadata"]["msgbook"] == {"color": "blue", "history": "exclude"}

    lab.command("notebook:undo-cell-action")
    expect(box).to_be_checked()
    assert lab.cells()[0]["metadata"]["msgbook"] == {"color": "blue"}
    assert model_server.requests == []


def test_a_title_goes_to_its_cell_and_keeps_the_prompt(
    lab: Lab, lab_root: Path, panel: Locator
) -> None:
    long = "\n\n".join(["Line"] * 80)
    open_chat(lab, lab_root, "go.ipynb", prompt("a", "One"), note("n", long), prompt("c", "Two"))
    select(lab, 2)
    expect(lab.cell(0)).not_to_be_in_viewport()
    row(panel, 1).get_by_role("button").click()
    expect(lab.cell(0)).to_be_in_viewport()
    expect(panel.locator("h3")).to_have_text("Cell 3: Two")


def test_a_kernel_that_is_gone_and_an_error_are_said(
    lab: Lab, lab_root: Path, panel: Locator, screenshot
) -> None:
    expect(panel).to_contain_text("Open a chat")
    open_chat(lab, lab_root, "gone.ipynb", prompt("a", "%%msg agent=nobody\nOne"))
    select(lab, 0)
    expect(panel).to_contain_text("There is no agent 'nobody'")
    lab.type_in(0, "One")
    expect(panel.locator("h3")).to_have_text("Cell 1: One")
    lab.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    expect(panel).to_contain_text("kernel of this notebook is not running")
    expect(panel).to_contain_text("what was known before")
    screenshot("gone")


def test_a_hidden_panel_asks_nothing(lab: Lab, lab_root: Path, panel: Locator) -> None:
    open_chat(lab, lab_root, "hidden.ipynb", prompt("a", "One"), prompt("b", "Two"))
    expect(panel.locator("h3")).to_be_visible()
    lab.page.evaluate("() => window.jupyterapp.shell.collapseRight()")
    expect(panel).not_to_be_visible()
    lab.page.evaluate(
        """() => {
            window.queries = [];
            const { kernel } = window.jupyterapp.shell.currentWidget.sessionContext.session;
            kernel.anyMessage.connect((_, { msg }) => {
                const { data } = msg.content;
                if (data && data.type === 'query') {
                    window.queries.push(data.name);
                }
            });
        }"""
    )
    lab.type_in(1, "Two, with more words")
    select(lab, 0)
    lab.command("msgbook:open-context")
    expect(panel.locator("h3")).to_have_text("Cell 1: One")
    asked = lab.page.evaluate("() => window.queries")
    assert asked.count("context.request") == 1, json.dumps(asked)


def test_rules_tools_and_macros_are_switched_in_the_notebook_and_the_request_follows(
    lab: Lab, lab_root: Path, model_server: ScriptedServer, panel: Locator, screenshot
) -> None:
    folder = lab_root / "switches"
    (folder / ".msgbook" / "rules").mkdir(parents=True, exist_ok=True)
    (folder / ".msgbook" / "rules" / "style.md").write_text("Be brief.")
    (folder / "AGENTS.md").write_text("Be kind.")
    cells = prompt("a", "#define city Rome\nWhere is {{city}}?"), prompt("b", "And now?")
    open_chat(lab, lab_root, "switches/chat.ipynb", *cells)
    select(lab, 1)
    expect(panel.locator("h3")).to_have_text("Cell 2: And now?")

    def group(name: str) -> Locator:
        return panel.locator(".msgbook-Context-group").filter(
            has=lab.page.locator("summary", has_text=name)
        )

    for name in ("Rules", "Macros", "Tools"):
        group(name).locator("summary").click()
    rule = group("Rules").get_by_label("style.md")
    expect(rule).to_be_checked()
    rule.click()
    expect(rule).not_to_be_checked()
    assert ours(lab)["rules"] == ["AGENTS.md"]
    screenshot("light")
    with lab.dark():
        screenshot("dark")
    rule.click()
    expect(rule).to_be_checked()
    assert "rules" not in ours(lab)

    read = group("Tools").get_by_label(re.compile(r"^\s*read(?!_)"))
    expect(group("Tools").get_by_label("shell")).to_be_disabled()
    read.click()
    expect(read).not_to_be_checked()
    expect(read).to_be_enabled()
    assert ours(lab)["disabled_tools"] == ["read"]

    group("Macros").get_by_label("city").click()
    expect(group("Macros").get_by_label("city")).to_have_count(0)
    assert [cell["source"] for cell in lab.cells()][1] == "%macros -d city"
    assert model_server.requests == []


def test_the_whole_request_is_copied_as_the_command_prints_it(
    lab: Lab, lab_root: Path, model_server: ScriptedServer, panel: Locator, screenshot
) -> None:
    lab.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    model_server.answers = [text("Rome.")]
    open_chat(lab, lab_root, "copy.ipynb", note("n", "Be brief."), prompt("a", "<b>One</b>"))
    select(lab, 1)
    panel.get_by_role("button", name="Copy request").click()
    expect(panel.get_by_role("status").filter(has_text="Copied")).to_be_visible()
    screenshot("copied")
    copied = json.loads(lab.page.evaluate("() => navigator.clipboard.readText()"))
    assert model_server.requests == []

    lab.run(1)
    expect(lab.cell(1).locator(".jp-InputPrompt")).to_have_text("[1]:")
    assert copied["messages"] == model_server.requests[0]["messages"]
    assert copied["model"] == "scripted-model"


def test_summed_up_and_stale_cells_are_marked_also_while_a_turn_runs(
    lab: Lab, lab_root: Path, model_server: ScriptedServer, panel: Locator, screenshot
) -> None:
    slow = Slow("I wait", " no more.")
    model_server.answers = [text("First."), text("A summary."), text("Second."), slow.answer]
    open_chat(
        lab,
        lab_root,
        "marks.ipynb",
        prompt("a", "One", history="summary"),
        prompt("b", "Two"),
        prompt("c", "Three"),
        prompt("d", "Four"),
    )
    for index in range(2):
        lab.run(index)
        expect(lab.cell(index).locator(".jp-InputPrompt")).to_have_text(f"[{index + 1}]:")
    lab.type_in(1, "Two, but otherwise")
    lab.run(2)
    expect(lab.cell(2)).to_contain_text("I wait")

    select(lab, 3)
    expect(panel.locator("h3")).to_have_text("Cell 4: Four")
    expect(row(panel, 1)).to_contain_text("summed up")
    expect(row(panel, 2)).to_contain_text("stale")
    expect(panel).to_contain_text("Cells above: 1 summed up, 1 stale")
    screenshot("light")
    with lab.dark():
        screenshot("dark")
    with lab.width(700):
        screenshot("700")
    slow.go()
    expect(lab.cell(2)).to_contain_text("no more.")


def test_a_kernel_that_python_keeps_busy_is_said_and_asked_again(
    lab: Lab, lab_root: Path, panel: Locator, screenshot
) -> None:
    open_chat(
        lab,
        lab_root,
        "busy.ipynb",
        prompt("a", "%%python\ntext = input('Go on?')"),
        prompt("b", "Two"),
    )
    lab.run(0)
    answer = lab.cell(0).locator(".jp-Stdin-input")
    expect(answer).to_be_visible()
    select(lab, 1)
    expect(panel).to_contain_text("The kernel does not answer: it may be busy.")
    screenshot("busy")
    answer.fill("yes")
    answer.press("Enter")
    # The input line belongs to the first cell, which is active now.
    expect(panel.locator("h3")).to_have_text("The next message, cell 2")
    expect(panel.locator(".msgbook-Context-problem")).to_have_count(0)


def test_a_skill_is_switched_in_the_notebook(
    lab: Lab, lab_root: Path, model_server: ScriptedServer, panel: Locator, screenshot
) -> None:
    skill = lab_root / "skilled" / ".agents" / "skills" / "poems"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text(
        "---\nname: poems\ndescription: Writes <i>poems</i>\n---\nRhyme.\n"
    )
    open_chat(lab, lab_root, "skilled/chat.ipynb", prompt("a", "One"))
    select(lab, 0)
    expect(panel.locator("h3")).to_have_text("Cell 1: One")
    panel.locator(".msgbook-Context-group > summary", has_text="Skills").click()
    poems = panel.get_by_label("poems")
    expect(panel).to_contain_text("Writes <i>poems</i>")
    expect(poems).not_to_be_checked()
    poems.click()
    expect(poems).to_be_checked()
    assert ours(lab)["skills"] == ["poems"]
    screenshot("on")
    poems.click()
    expect(poems).not_to_be_checked()
    assert "skills" not in ours(lab)
    assert model_server.requests == []


@pytest.fixture
def mcp_server(config_file: Path) -> Iterator[None]:
    """An MCP server `files` for the kernels that start meanwhile."""
    before = config_file.read_text()
    config_file.write_text(
        f"{before}\n[mcp_servers.files]\ncommand = {json.dumps(sys.executable)}\n"
        f"args = {json.dumps([FAULTY, 'none'])}\n"
    )
    yield
    config_file.write_text(before)


def test_an_mcp_server_is_switched_in_the_notebook_and_its_tools_go_with_it(
    lab: Lab,
    lab_root: Path,
    model_server: ScriptedServer,
    mcp_server: None,
    panel: Locator,
    screenshot,
) -> None:
    model_server.answers = [text("First."), text("Second.")]
    write_notebook(lab_root / "served.ipynb", "One", "Two")
    lab.open("served.ipynb")
    lab.wait_for_kernel()
    lab.run(0)
    expect(lab.cell(0).locator(".jp-InputPrompt")).to_have_text("[1]:")
    select(lab, 1)
    expect(panel.locator("h3")).to_have_text("Cell 2: Two")
    panel.locator(".msgbook-Context-group > summary", has_text="MCP servers").click()
    server = panel.get_by_label("files", exact=True)
    expect(server).to_be_checked()
    server.click()
    expect(server).not_to_be_checked()
    assert ours(lab)["disabled_mcp_servers"] == ["files"]
    screenshot("off")
    lab.run(1)
    expect(lab.cell(1).locator(".jp-InputPrompt")).to_have_text("[2]:")
    offered = [
        any(tool["function"]["name"].startswith("mcp__files__") for tool in request["tools"])
        for request in model_server.requests
    ]
    assert offered == [True, False]


def ours(lab: Lab) -> dict[str, Any]:
    """msgbook's metadata of the notebook in front."""
    found: dict[str, Any] = lab.page.evaluate(
        "() => window.jupyterapp.shell.currentWidget.content.model.getMetadata('msgbook')"
    )
    return found
