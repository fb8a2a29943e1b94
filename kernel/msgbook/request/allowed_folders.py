"""Folders that an agent may read without approval: those that the notebook and the agent allow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from msgbook.agents import Agent, name_values, narrow_roots
from msgbook.approval import Roots
from msgbook.errors import ToolError
from msgbook.notebook import Transcript, metadata_of


def find_allowed_folders(
    agent: Agent, transcript: Transcript, roots: Roots
) -> tuple[tuple[Path, ...] | None, list[str]]:
    """Return the real paths that both notebook and agent allow to be read without approval.

    Returns:
        The paths, or None if neither restricts them; and a line for each path that allows nothing.
    """

    def resolve(path: str) -> Path | None:
        try:
            return roots.resolve(path)
        except ToolError:
            return None

    restrictions = [
        uris for uris in (_allowed_uris(transcript), agent.allowed_uris) if uris is not None
    ]
    allowed: tuple[Path, ...] = (roots.folder,)
    notices = []
    for uris in restrictions:
        allowed, outside = narrow_roots(replace(agent, allowed_uris=uris), allowed, resolve)
        notices += outside
    return (allowed if restrictions else None), notices


def is_sub_agent(transcript: Transcript) -> bool:
    """Return whether the notebook's AgentMetadata (seed 001) name a parent."""
    parent = _agent_metadata(transcript).get("parent_agent_id")
    return isinstance(parent, str) and bool(parent.strip())


def _allowed_uris(transcript: Transcript) -> tuple[str, ...] | None:
    """Return `allowed_uris` of the notebook's AgentMetadata; None if they are not set."""
    uris = _agent_metadata(transcript).get("allowed_uris")
    if uris is None:
        return None
    try:
        return name_values(uris)
    except ValueError:
        return ()


def _agent_metadata(transcript: Transcript) -> Mapping[str, Any]:
    metadata = metadata_of({"metadata": transcript.metadata}).get("agent_metadata")
    return metadata if isinstance(metadata, Mapping) else {}
