"""Folders that an agent may read without approval: those that the notebook and the agent allow."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from msgbook.agents import Agent, name_values, narrow_roots
from msgbook.approval import Roots
from msgbook.errors import ToolError
from msgbook.notebook import Transcript
from msgbook_format.agents import agent_metadata_of


def find_allowed_folders(
    agent: Agent, transcript: Transcript, roots: Roots
) -> tuple[tuple[Path, ...] | None, list[str]]:
    """Return the real paths that both notebook and agent allow to be read without approval.

    Returns:
        The paths, or None if neither leaves anything of the notebook's folder out; and a line for
        each path that allows nothing.
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
    return (None if roots.folder in allowed else allowed), notices


def _allowed_uris(transcript: Transcript) -> tuple[str, ...] | None:
    """Return `allowed_uris` of the notebook's AgentMetadata; None if they are not set."""
    uris = agent_metadata_of(transcript.metadata).get("allowed_uris")
    if uris is None:
        return None
    try:
        return name_values(uris)
    except ValueError:
        return ()
