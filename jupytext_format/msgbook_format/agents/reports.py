"""The report of a sub-agent: the call of `task_finish` in its turn. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from msgbook_format.agents.agent_metadata import AgentMetadata, agent_metadata_of
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


def finished_agent(turn: Turn, metadata: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the AgentMetadata of a sub-agent after a turn in which it reported.

    Args:
        metadata: The notebook's metadata, of any shape.

    Returns:
        None if it did not report, or is no sub-agent.
    """
    agent = agent_metadata_of(metadata)
    if AgentMetadata.read(agent).parent_id is None or task_report(turn) is None:
        return None
    return {**agent, "is_task_finished": True}
