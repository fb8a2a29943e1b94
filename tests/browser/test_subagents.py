"""A reader sees what sub-agents do: rows in the turn, their questions, and their conversations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest
from chats import SPEC
from playwright.sync_api import expect

from msgbook_format import read, write
from msgbook_format.agent_states import mark_running
from msgbook_format.turn import TURN_MIME, bundle

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

FOLDER = ".msgbook/subagents"


def turn(*blocks: dict[str, Any], status: str = "done", agent: str = "reviewer") -> Any:
    head = {"version": 1, "status": status, "agent": agent, "model": "scripted-model"}
    return {**head, "started": "2026-11-20T10:00:00Z", "blocks": list(blocks)}


def said(text: str, step: int = 1) -> dict[str, Any]:
    return {"type": "text", "step": step, "text": text}


def chat(prompt: str, answer: Any) -> nbformat.NotebookNode:
    output = nbformat.v4.new_output("display_data", bundle(answer))
    cell = nbformat.v4.new_code_cell(prompt, id="prompt", outputs=[output])
    return nbformat.v4.new_notebook(cells=[cell], metadata={"kernelspec": SPEC})


def dispatched(*rows: dict[str, Any], status: str = "done") -> Any:
    call = {"type": "tool_call", "step": 1, "id": "c", "name": "dispatch_subagents"}
    result = {"type": "tool_result", "step": 1, "id": "c", "status": "success", "duration": 12.5}
    return turn(
        {**call, "arguments": '{"sub_agents": []}', "approval": "user"},
        {**result, "content": "# Parser\nNo bugs.\n", "agents": list(rows)},
        said("All of them have reported.", step=2),
        status=status,
        agent="assistant",
    )


def rows() -> list[dict[str, Any]]:
    usage = {"input_tokens": 12345, "output_tokens": 310}
    names = ("Read the parser", "Read the writer", "Run the tests", "Docs", "Old names")
    states = ("done", "incomplete", "error", "interrupted", "deleted")
    return [
        {
            "uuid": f"u{n}",
            "name": name,
            "agent": "reviewer",
            "status": state,
            "steps": n + 1,
            "file": f"{FOLDER}/chat-{n}.msg.md",
            "usage": usage,
            "duration": 3.5 * n,
            "last": "No bugs were found, but the longest lines are hard to read for a person. " * 2,
        }
        for n, (name, state) in enumerate(zip(names, states, strict=True))
    ]


def put(path: Path, notebook: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write(notebook, path)


def test_saved_rows_are_shown_and_a_link_opens_the_conversation(lab, lab_root, screenshot):
    project = lab_root / "project"
    put(project / FOLDER / "chat-0.msg.md", chat("Read parser.py", turn(said("No bugs."))))
    put(project / "chat.msg.md", chat("Look at everything", dispatched(*rows())))
    lab.open("project/chat.msg.md")
    lab.wait_for_kernel()
    shown = lab.cell(0).locator(".msgbook-Agent")

    expect(shown).to_have_count(5)
    expect(shown.first).to_contain_text("reviewer")
    expect(shown.first).to_contain_text("1 step · < 0.1 s · 12,345 → 310 tokens")
    expect(shown.nth(4).get_by_role("link")).to_have_count(0)
    screenshot("rows")

    shown.first.get_by_role("link", name="Read the parser").click()

    expect(lab.notebook.locator(".msgbook-Text")).to_have_text("No bugs.")
    assert (
        lab.page.evaluate("() => window.jupyterapp.shell.currentWidget.context.path")
        == f"project/{FOLDER}/chat-0.msg.md"
    )
    lab.wait_for_kernel()
    screenshot("opened")


def test_a_conversation_that_was_opened_while_it_runs_is_live_and_read_only(
    lab, lab_root, screenshot
):
    file = lab_root / FOLDER / "live.msg.md"
    put(file, chat("Read parser.py", turn(said("I look."), status="running")))
    with mark_running(file, "u", writes=True):
        lab.open(f"{FOLDER}/live.msg.md")
        lab.wait_for_kernel()
        cell = lab.cell(0)
        expect(cell.locator("[data-status=running]")).to_be_visible()
        words = cell.locator(".msgbook-Text")
        expect(words).to_have_text("I look.")
        words.evaluate("node => { node.kept = true; }")

        blocks = [said("I look."), said("Found it.", step=2)]
        put(file, chat("Read parser.py", turn(*blocks, status="running")))
        expect(words).to_have_count(2)
        assert words.first.evaluate("node => node.kept") is True
        assert not lab.page.evaluate(
            "() => window.jupyterapp.shell.currentWidget.context.model.dirty"
        )
        screenshot("live")

        before = file.read_bytes()
        refused = lab.page.evaluate(
            """() => window.jupyterapp.serviceManager.contents
                .save(".msgbook/subagents/live.msg.md", {type: "notebook", format: "json",
                    content: window.jupyterapp.shell.currentWidget.content.model.toJSON()})
                .then(() => "", error => error.message)"""
        )
        assert "the sub-agent runs" in refused
        assert file.read_bytes() == before
        put(file, chat("Read parser.py", turn(*blocks, said("Fixed.", step=3))))

    expect(cell.locator("[data-status=done]")).to_be_visible()
    expect(words).to_have_count(3)
    lab.page.wait_for_function(
        "() => window.jupyterapp.shell.currentWidget.context.contentsModel.writable"
    )
    lab.save()
    assert read(file)["cells"][0]["outputs"][0]["data"][TURN_MIME]["status"] == "done"
