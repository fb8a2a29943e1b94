"""The report of a sub-agent: the call of `task_finish` in its turn. Pure."""

from __future__ import annotations

import json

from msgbook_format.turn import Turn, match_results

TASK_FINISH = "task_finish"
"""The tool with which a sub-agent reports."""


def task_report(turn: Turn) -> str | None:
    """Return the report that a sub-agent submitted in a turn; None for no report."""
    blocks = turn["blocks"]
    for position, result in match_results(blocks).items():
        call = blocks[position]
        if call.get("name") != TASK_FINISH or blocks[result].get("status") != "success":
            continue
        try:
            report = json.loads(call.get("arguments", ""))["context_summary"]
        except (ValueError, TypeError, KeyError, RecursionError):
            continue
        if isinstance(report, str):
            return report
    return None
