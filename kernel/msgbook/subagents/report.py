"""The result of `dispatch_subagents`: a heading and a report for each sub-agent. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from msgbook.subagents.child import Child
from msgbook.text import capped
from msgbook_format.agents import task_report
from msgbook_format.turn import Turn, answer_text

_SEPARATOR = "\n\n----------------\n\n"
_LIMIT = 19_000
"""Characters of all reports together; a result of more than 20,000 is cut."""
_LEAST = 400
_NOTHING = "All sub-agents were deleted or produced no output."


def make_report(children: Sequence[Child]) -> str:
    """Return the result of a call. A long report is cut; its file has all of it."""
    if all(child.state == "deleted" or _is_silent(child) for child in children):
        listed = [_heading(child, False) for child in children]
        return "\n".join([_NOTHING, *listed])
    limit = max(_LIMIT // len(children) - 200, _LEAST)
    return _SEPARATOR.join(_report(child, limit) for child in children)


def _report(child: Child, limit: int) -> str:
    if child.state == "deleted":
        return _heading(child, False)
    report = task_report(child.turn)
    text = report if report is not None else _last_text(child.turn)
    parts = [_heading(child, report is not None), capped(text, limit), f"File: {child.file}"]
    if child.conversation.problem:
        parts[-1] += f" (it could not be written: {child.conversation.problem})"
    return "\n".join(part for part in parts if part)


def _heading(child: Child, has_report: bool) -> str:
    if child.state == "deleted":
        return f"### Sub-agent {child.uuid[:6]} was deleted (Cancelled)."
    if has_report:
        return f"### Sub-agent '{child.plan.name}' Finished:"
    if child.is_stopped and child.state == "interrupted":
        return f"### Sub-agent '{child.plan.name}' (no report), stopped by the user:"
    reason = child.turn.get("finish_reason") if child.state == "incomplete" else None
    if child.failure is not None and child.state != "interrupted":
        reason = f"{child.failure.name}: {child.failure.message}"
    why = f" ({reason})" if reason else ""
    return f"### Sub-agent '{child.plan.name}' (no report), {child.state}{why}:"


def _is_silent(child: Child) -> bool:
    return child.state == "done" and task_report(child.turn) is None and not _last_text(child.turn)


def _last_text(turn: Turn) -> str:
    """Return the text of the last step that has any."""
    steps: dict[int, list[str]] = {}
    for block in turn["blocks"]:
        if block["type"] == "text":
            steps.setdefault(block.get("step", 0), []).append(answer_text([block]))
    texts = ["\n\n".join(texts).strip() for texts in steps.values()]
    return next((text for text in reversed(texts) if text), "")
