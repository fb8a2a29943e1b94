"""The sub-agents of a tool result, as a reader is shown them, on the page and in Markdown alike."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from msgbook_format.turn import to_markdown
from msgbook_format.turn.agent_rows import ROWS_LIMIT, shown_agents

FIXTURE = Path(__file__).with_name("fixtures") / "agent_rows.json"
CASES: list[dict[str, Any]] = json.loads(FIXTURE.read_text())
FILE = ".msgbook/subagents/chat-5f3a90c2.msg.md"


def turn(*rows: Any, status: str = "done", **keys: Any) -> Any:
    call = {"type": "tool_call", "step": 1, "id": "c", "name": "dispatch_subagents"}
    result = {"type": "tool_result", "step": 1, "id": "c", "content": "Both are done.", **keys}
    blocks = [{**call, "arguments": "{}"}, {**result, "agents": list(rows)}]
    return {"version": 1, "status": status, "blocks": blocks}


@pytest.mark.parametrize("case", CASES, ids=[case["title"] for case in CASES])
def test_a_row_is_shown_as_the_page_shows_it(case: dict[str, Any]) -> None:
    rows, further = shown_agents({"agents": [case["row"]]}, live=case["live"])
    shown = asdict(rows[0])
    assert {**shown, "facts": list(shown["facts"])} == case["shown"]
    assert further == 0


def test_a_result_says_what_its_sub_agents_did_even_in_a_running_turn() -> None:
    row = {"name": "n", "status": "running"}
    assert shown_agents({"agents": [row]}, live=True)[0][0].status == "running"
    over = {"agents": [row], "status": "success"}
    assert shown_agents(over, live=True)[0][0].status == "interrupted"


@pytest.mark.parametrize("agents", [None, {}, "x", 3, [], [None, "x", 3]])
def test_a_value_that_is_no_list_of_rows_shows_nothing(agents: Any) -> None:
    assert shown_agents({"agents": agents}, live=True) == ([], 0)


def test_many_rows_are_counted() -> None:
    rows, further = shown_agents({"agents": [{"name": "n"}] * 5000}, live=False)
    assert (len(rows), further) == (ROWS_LIMIT, 5000 - ROWS_LIMIT)
    assert f"and {5000 - ROWS_LIMIT:,} more" in to_markdown(turn(*[{"name": "n"}] * 5000))


def test_markdown_has_a_line_and_a_link_for_each_sub_agent() -> None:
    done = {"name": "Parser", "agent": "reviewer", "file": FILE, "status": "done", "steps": 2}
    facts = {
        "duration": 3.21,
        "usage": {"input_tokens": 1200, "output_tokens": 30},
        "last": "Fine.",
    }
    failed = {"name": "Docs", "agent": "writer", "status": "error"}
    text = to_markdown(turn({**done, **facts}, failed))
    parser = f"[**Parser**]({FILE}) · reviewer · done · 2 steps · 3.2 s · 1,200 → 30 tokens · Fine."
    assert f"- ✅ {parser}\n- ❌ **Docs** · writer · failed\n\n<details>" in text


def test_markdown_of_a_hostile_row_is_text() -> None:
    hostile = "<img src=x onerror=alert(1)> [a](javascript:b) **x** `y`\n\n# z\n- w $\\require{a}$"
    row = {"name": hostile, "agent": hostile, "status": hostile, "last": hostile, "file": FILE}
    line, rest = to_markdown(turn(row)).split("\n\n<details>")[0].split("\n\n")[-1], hostile
    assert "\n" not in line
    assert not any(mark in line for mark in ("<", "](j", "`", "$")), rest
    odd = {"name": "n", "status": "done", "file": ".msgbook/subagents/a)[x](b) <i>.msg.md"}
    assert "(.msgbook/subagents/a%29%5Bx%5D%28b%29%20%3Ci%3E.msg.md)" in to_markdown(turn(odd))
