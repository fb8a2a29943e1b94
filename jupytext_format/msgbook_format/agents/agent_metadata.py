"""AgentMetadata and AgentRuntimeStatus (seed 001): who a conversation is, and what it does. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Literal

AgentRuntimeStatus = Literal["standby", "running", "pending", "finished"]
"""What an agent does. It is computed by `runtime_status`, never stored."""

KEY = "agent_metadata"
"""Key of a notebook's `metadata.msgbook`."""

OWN_FOLDER = "."
"""The value of `allowed_uris` that restricts nothing: the folder of the conversation."""


def new_agent_metadata(
    *,
    uuid: str,
    created_at: datetime,
    name: str,
    allowed_uris: Sequence[str] = (OWN_FOLDER,),
    parent_agent_id: str | None = None,
    parent: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return the AgentMetadata of a new conversation.

    Only a sub-agent has a task that another agent waits for, so only its metadata have
    `is_task_finished`.

    Args:
        created_at: With a time zone.
        name: What a person sees in a list.
        allowed_uris: Folders, as the conversation's file spells them. They only narrow.
        parent_agent_id: `uuid` of the agent that gave it its task; None for a main agent.
        parent: `file` and `call` of that agent: its file, and the id of the call.
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
    return metadata


def runtime_status(
    *, is_running: bool, is_task_finished: bool, parent_id: str | None
) -> AgentRuntimeStatus:
    """Return the status of an agent, by the formula of seed 001."""
    if is_running:
        return "running"
    if is_task_finished:
        return "finished"
    return "pending" if parent_id else "standby"
