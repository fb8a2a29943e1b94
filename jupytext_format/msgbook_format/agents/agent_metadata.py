"""AgentMetadata and AgentRuntimeStatus (seed 001): who a conversation is, what it does, and what a sub-agent reports. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from msgbook_format.turn import Turn, match_results
from msgbook_format.typed import as_dict, as_text, msgbook_metadata

AgentRuntimeStatus = Literal["standby", "running", "pending", "finished"]
"""What an agent does. It is computed by `runtime_status`, never stored."""

AGENT_METADATA_KEY = "agent_metadata"
"""Key of a notebook's `metadata.msgbook`."""

OWN_FOLDER = "."
"""The value of `allowed_uris` that restricts nothing: the folder of the conversation."""


_LONGEST = 1000
"""Characters of an id, a name or a path that are used. A file may say anything, and lists show it."""


@dataclass(frozen=True, slots=True)
class AgentMetadata:
    """The part of AgentMetadata that is used; a file may hold them in any shape."""

    uuid: str
    """Empty if there is none."""
    name: str
    """Empty if there is none."""
    created_at: str
    """As it is written; empty if there is none."""
    parent_id: str | None
    """`uuid` of the agent that gave it its task; None for a main agent."""
    is_task_finished: bool
    file: str | None
    """Where the conversation's file was at its last turn, from the top of its checkout."""
    parent_file: str | None
    """The parent's file, from the project's folder."""

    @classmethod
    def read(cls, value: Any) -> AgentMetadata:
        """Return what can be used of AgentMetadata of any shape."""
        found = as_dict(value)
        return cls(
            uuid=_text(found.get("uuid")) or "",
            name=_text(found.get("name")) or "",
            created_at=_text(found.get("created_at")) or "",
            parent_id=_text(found.get("parent_agent_id")),
            is_task_finished=found.get("is_task_finished") is True,
            file=_text(found.get("file")),
            parent_file=_text(as_dict(found.get("parent")).get("file")),
        )


def agent_metadata_of(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return the AgentMetadata in the metadata of a notebook, of any shape; empty without."""
    return as_dict(msgbook_metadata({"metadata": metadata}).get(AGENT_METADATA_KEY))


def new_agent_metadata(
    *,
    uuid: str,
    created_at: datetime,
    name: str,
    allowed_uris: Sequence[str] = (OWN_FOLDER,),
    parent_agent_id: str | None = None,
    parent: Mapping[str, str] | None = None,
    file: str | None = None,
) -> dict[str, Any]:
    """Return the AgentMetadata of a new conversation.

    Only a sub-agent has a task that another agent waits for, so only its metadata have
    `is_task_finished`.

    Args:
        created_at: With a time zone.
        name: What a person sees in a list.
        allowed_uris: Folders, as the conversation's file spells them. They only narrow.
        parent_agent_id: `uuid` of the agent that gave it its task; None for a main agent.
        parent: `file` and `call` of that agent: its file, from the project's folder, and the id of
            the call.
        file: The conversation's own file, from the top of its checkout, with `/`; None if unknown.
    """
    made = created_at.astimezone(UTC).isoformat(timespec="milliseconds")
    metadata: dict[str, Any] = {
        "uuid": uuid,
        "name": name,
        "created_at": made.replace("+00:00", "Z"),
        "parent_agent_id": parent_agent_id,
        "allowed_uris": list(allowed_uris),
    }
    if parent_agent_id is not None:
        metadata["is_task_finished"] = False
    if parent is not None:
        metadata["parent"] = dict(parent)
    if file is not None:
        metadata["file"] = file
    return metadata


def runtime_status(
    *, is_running: bool, is_task_finished: bool, parent_id: str | None
) -> AgentRuntimeStatus:
    """Return the status of an agent: running wins over finished, and only a sub-agent is pending (seed 001)."""
    if is_running:
        return "running"
    if is_task_finished:
        return "finished"
    return "pending" if parent_id else "standby"


def _text(value: Any) -> str | None:
    """Return a text that is not blank and not too long to be an id, a name or a path."""
    text = as_text(value)
    return text if 0 < len(text.strip()) <= len(text) <= _LONGEST else None


# The report of a sub-agent: the call of `task_finish` in its turn. Pure.


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
        None if it did not report, or is not a sub-agent.
    """
    agent = agent_metadata_of(metadata)
    if AgentMetadata.read(agent).parent_id is None or task_report(turn) is None:
        return None
    return {**agent, "is_task_finished": True}
