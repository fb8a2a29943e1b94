"""The result of `dispatch_subagents`: a heading and a report for each sub-agent. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from msgbook.subagents.subagent import Subagent
from msgbook.text import capped
from msgbook_format.agents import task_report
from msgbook_format.turn import Turn, answer_text

_SEPARATOR = "\n\n----------------\n\n"
_LIMIT = 19_000
"""Characters of all reports together; a result of more than 20,000 is cut."""
_LEAST = 400
_NOTHING = "All sub-agents were deleted or produced no output."


def make_report(subagents: Sequence[Subagent]) -> str:
    """Return the result of a call. A long report is cut; its file has all of it."""
    if all(subagent.state == "deleted" or _is_silent(subagent) for subagent in subagents):
        listed = [_heading(subagent, False) for subagent in subagents]
        return "\n".join([_NOTHING, *listed])
    limit = max(_LIMIT // len(subagents) - 200, _LEAST)
    return _SEPARATOR.join(_report(subagent, limit) for subagent in subagents)


def _report(subagent: Subagent, limit: int) -> str:
    if subagent.state == "deleted":
        return _heading(subagent, False)
    report = task_report(subagent.turn)
    text = report if report is not None else _last_text(subagent.turn)
    parts = [_heading(subagent, report is not None), capped(text, limit), f"File: {subagent.file}"]
    if subagent.conversation.problem:
        parts[-1] += f" (it could not be written: {subagent.conversation.problem})"
    return "\n".join(part for part in parts if part)


def _heading(subagent: Subagent, has_report: bool) -> str:
    if subagent.state == "deleted":
        return f"### Sub-agent {subagent.uuid[:6]} was deleted (Cancelled)."
    if has_report:
        return f"### Sub-agent '{subagent.plan.name}' Finished:"
    if subagent.is_stopped and subagent.state == "interrupted":
        return f"### Sub-agent '{subagent.plan.name}' (no report), stopped by the user:"
    reason = subagent.turn.get("finish_reason") if subagent.state == "incomplete" else None
    if subagent.failure is not None and subagent.state != "interrupted":
        reason = f"{subagent.failure.name}: {subagent.failure.message}"
    why = f" ({reason})" if reason else ""
    return f"### Sub-agent '{subagent.plan.name}' (no report), {subagent.state}{why}:"


def _is_silent(subagent: Subagent) -> bool:
    return (
        subagent.state == "done"
        and task_report(subagent.turn) is None
        and not _last_text(subagent.turn)
    )


def _last_text(turn: Turn) -> str:
    """Return the text of the last step that has any."""
    steps: dict[int, list[str]] = {}
    for block in turn["blocks"]:
        if block["type"] == "text":
            steps.setdefault(block.get("step", 0), []).append(answer_text([block]))
    texts = ["\n\n".join(texts).strip() for texts in steps.values()]
    return next((text for text in reversed(texts) if text), "")
