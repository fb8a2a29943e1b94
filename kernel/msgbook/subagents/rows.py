"""The row of a sub-agent in its parent's turn. Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgbook.subagents.subagent import Subagent
from msgbook.text import excerpt, one_line, visible
from msgbook_format.agents import task_report
from msgbook_format.turn import AgentRow, Turn, answer_text, match_results

_LENGTH = 120


def make_row(subagent: Subagent, now: float, redact: Callable[[str], str]) -> AgentRow:
    """Return the row of a sub-agent as it is now."""
    turn = subagent.turn
    row: AgentRow = {
        "uuid": subagent.uuid,
        "name": subagent.plan.name,
        "agent": subagent.plan.agent.name,
        "file": subagent.link,
        "status": subagent.state,
        "steps": subagent.record.step,
        "last": excerpt(visible(one_line(redact(_last_line(turn)), _LENGTH + 1)), _LENGTH),
    }
    if "usage" in turn:
        row["usage"] = turn["usage"]
    if subagent.started is not None:
        row["duration"] = round((subagent.ended or now) - subagent.started, 1)
    return row


def _last_line(turn: Turn) -> str:
    """Return the tool that runs, else the last line of the report or of the text."""
    blocks = turn["blocks"]
    results = match_results(blocks)
    for position in reversed(range(len(blocks))):
        block: Any = blocks[position]
        if block["type"] == "tool_call":
            result = results.get(position)
            if result is None or "status" not in blocks[result]:
                return str(block.get("name", ""))
        if block["type"] == "error":
            return str(block.get("message", ""))
    report = task_report(turn)
    lines = (answer_text(blocks) if report is None else report).strip().splitlines()
    return lines[-1] if lines else ""
