"""Hostile texts in the panels of the page run nothing, load nothing and cover nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import nbformat
import pytest
from chats import SPEC
from hostile_strings import SENDABLE, SHORT
from hostile_turns import parts, turn
from lab import Lab
from page_guard import PageGuard
from playwright.sync_api import expect

from msgbook_format.turn import TURN_MIME

SAVABLE = [word[:2_000] for word in SENDABLE]


def write(path: Path, notebook: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(notebook))


def questions(cell_id: str) -> list[dict[str, Any]]:
    return [
        {
            "type": "approval.ask",
            "request_id": f"q{number}",
            "cell_id": cell_id,
            "display_id": word,
            "call_id": word if number % 2 else f"{number}/{word}",
            "asker": [word, word],
            "name": word,
            "arguments": word if number % 3 else json.dumps({word: word}),
            "edited": number % 5 == 0,
            "problem": word if number % 5 == 0 else "",
            "draft": word if number % 5 == 0 else "",
            "reason": word,
            "preview": f"--- a/{word}\n+++ b/{word}\n@@ -1 +1 @@\n-{word}\n+{word}"
            if number % 2
            else word,
            "choices": ["once", "session", "rule", "edit", "no"],
        }
        for number, word in enumerate(SHORT)
    ]


def request() -> dict[str, Any]:
    def message(index: int) -> dict[str, Any]:
        return {"index": index, "role": SHORT[index], "tokens": 1, "kept": 0.5}

    cells = [
        {
            "id": word,
            "number": number,
            "title": word,
            "kind": word if number % 2 else "prompt",
            "history": "include",
            "by_line": number % 2 == 0,
            "is_stale": number % 2 == 1,
            "messages": [message(number)],
        }
        for number, word in enumerate(SHORT)
    ]
    word = SHORT[0]
    return {
        "agent": word,
        "model": word,
        "provider": word,
        "hash": word,
        "tokens": 1,
        "window": 9,
        "reserved": 0,
        "tools": {"count": 1, "tokens": 1, "kept": 0},
        "system": [message(1)],
        "cells": cells,
        "cache": {"share": 0.5, "changes": SHORT},
        "notices": SHORT,
    }


def rules() -> dict[str, Any]:
    kinds = ["session", "answer", "own", "settings"]
    return {
        "policy": SHORT[0],
        "folder": SHORT[0],
        "tools": SHORT,
        "rules": [
            {
                "key": word,
                "kind": kinds[number % 4],
                "tool": word,
                "arguments": word,
                "folder": word,
                "path": word,
                "count": number,
                "last": word,
            }
            for number, word in enumerate(SHORT)
        ],
    }


def agents() -> dict[str, Any]:
    return {
        "agent": SHORT[0],
        "model": SHORT[1],
        "provider": SHORT[2],
        "agents": [
            {
                "name": word,
                "origin": word,
                "models": [word],
                "description": word,
                "is_default": word,
            }
            for word in SHORT
        ],
    }


def lies() -> dict[str, Any]:
    return {
        "context.request": {"result": request()},
        "context.message": {"result": {"text": SHORT[0], "hash": SHORT[0]}},
        "approvals.list": {"result": rules()},
        "agents.list": {"result": agents()},
        "models.list": {"result": {"models": SHORT}},
    }


@pytest.fixture
def lied_to(lab: Lab, lab_root: Path, guard: PageGuard) -> PageGuard:
    """A notebook whose kernel lies to the page, once a query was asked."""
    cells = [
        nbformat.v4.new_code_cell("Hello", id="one"),
        nbformat.v4.new_code_cell("You", id="two"),
    ]
    cells[0]["outputs"] = [
        {"output_type": "display_data", "data": {TURN_MIME: turn(["plain"])}, "metadata": {}}
    ]
    write(
        lab_root / "lied.ipynb",
        {**nbformat.v4.new_notebook(metadata={"kernelspec": SPEC}), "cells": cells},
    )
    lab.open("lied.ipynb")
    lab.wait_for_kernel()
    guard.tell_lies(lies())
    return guard


def test_the_context_panel_with_an_answer_that_lacks_fields(
    lab: Any, lied_to: Any, screenshot: Any
) -> None:
    lab.command("msgbook:open-context")
    panel = lab.page.locator(".msgbook-Context")
    lab.type_in(1, "Now")
    expect(panel.locator(".msgbook-Context-cellHead")).to_have_count(len(SHORT))
    panel.locator("summary").nth(3).click()
    lied_to.assert_unharmed(".msgbook-Context button")
    screenshot("context")


def test_the_approvals_panel_with_questions_and_rules(
    lab: Any, lied_to: Any, screenshot: Any
) -> None:
    lab.command("msgbook:open-approvals")
    panel = lab.page.locator(".msgbook-Approvals")
    expect(panel.locator(".msgbook-Rule")).to_have_count(len(SHORT))
    screenshot("rules")
    panel.get_by_role("button", name="Change the rule").first.click()
    lied_to.assert_unharmed(".msgbook-Rule button")
    for some in parts(questions("one")):
        for question in some:
            lied_to.tell(question)
        expect(panel.locator(".msgbook-Question")).to_have_count(len(some))
        expect(lab.page.locator(".msgbook-mod-deaf")).to_have_count(0)
        lied_to.assert_unharmed(".msgbook-Question button", ".msgbook-Approval button")
        for question in some:
            lied_to.tell({"type": "approval.closed", "request_id": question["request_id"]})
        expect(panel.locator(".msgbook-Question")).to_have_count(0)
    for question in questions("one")[:3]:
        lied_to.tell(question)
    expect(panel.locator(".msgbook-Question")).to_have_count(3)
    panel.locator(".msgbook-Question").first.scroll_into_view_if_needed()
    screenshot("questions")
    sent = lab.page.evaluate("() => window.asked.map(({ type, name }) => name ?? type)")
    assert not {"approval.answer", "approvals.add", "approvals.change", "approvals.delete"} & {
        *sent
    }
    for question in questions("one")[:3]:
        lied_to.tell({"type": "approval.closed", "request_id": question["request_id"]})

    # The second click of a double click answers nothing.
    plain = {**questions("one")[1], "call_id": "c", "arguments": "{}", "preview": ""}
    for request_id in ("first", "second"):
        lied_to.tell({**plain, "request_id": request_id})
    approve = panel.get_by_role("button", name="Approve", exact=True)
    expect(approve).to_have_count(2)
    expect(lab.page.locator(".msgbook-mod-deaf")).to_have_count(0)
    approve.first.dblclick()
    expect(approve).to_have_count(1)
    expect(approve).to_be_enabled()
    sent = lab.page.evaluate(
        "() => window.asked.filter(({ type }) => type === 'approval.answer').map(one => one.request_id)"
    )
    assert sent == ["first"]


def test_the_agents_panel_with_files_of_hostile_names_and_contents(
    lab: Any, lab_root: Any, guard: Any, screenshot: Any
) -> None:
    folder = lab_root / "many"
    for number, word in enumerate(SAVABLE):
        agent = {"uuid": word, "name": word, "created_at": word}
        agent |= {"parent_agent_id": SAVABLE[number // 9]} if number % 3 else {}
        name = "".join(c for c in word if c not in "/\0")[:40] or "x"
        book = nbformat.v4.new_notebook(
            cells=[nbformat.v4.new_code_cell(word)],
            metadata={"kernelspec": SPEC, "msgbook": {"agent_metadata": agent}},
        )
        write(folder / f"{name}{number}.ipynb", book)
    lab.command("filebrowser:go-to-path", path="/many", dontShowBrowser=True)
    lab.command("msgbook:show-agents")
    panel = lab.page.locator(".msgbook-AgentsPanel")
    expect(panel.locator(".msgbook-AgentsPanel-agent")).to_have_count(len(SAVABLE))
    screenshot("agents")
    guard.assert_unharmed(".msgbook-AgentsPanel button")
    lab.command("filebrowser:activate")
    lab.command("filebrowser:go-to-path", path="/", dontShowBrowser=True)
