"""Contents of a sub-agent's file beside its cells: AgentMetadata, and the agents that answer in it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from msgbook.agents import Agent
from msgbook.approval import Roots
from msgbook.errors import ToolError
from msgbook.request import lineage_of
from msgbook.subagents.parent import Parent
from msgbook.subagents.planning import Plan
from msgbook_format.agent_states import SUB_AGENTS
from msgbook_format.agents import DEFAULT_AGENT, PROPERTIES, new_agent_metadata

_UP = "../" * len(SUB_AGENTS.parts)
_OF_CONVERSATION = ("notebook", "cell")


def make_metadata(
    parent: Parent, plan: Plan, project: Path, path: Path, uuid: str, call_id: str
) -> dict[str, Any]:
    """Return the AgentMetadata of a sub-agent. Whoever runs its file later has no more rights."""
    file = parent.transcript.path
    origin = {"call": call_id}
    if file is not None:
        origin = {"file": relative(file.absolute(), project), **origin}
    metadata = new_agent_metadata(
        uuid=uuid,
        created_at=parent.engine.ids.now(),
        name=plan.name,
        allowed_uris=[relative(folder, project) for folder in plan.folders],
        parent_agent_id=parent.uuid,
        parent=origin,
        file=relative(path, project),
    )
    metadata["parent"]["agents"] = list(parent.agents)
    tools = _allowed_tools(parent)
    return metadata if tools is None else {**metadata, "allowed_tools": tools}


def make_frontmatter(parent: Parent, plan: Plan, known: Iterable[Agent], project: Path) -> str:
    """Return the YAML that names the agent that answers, and defines those of the parent's notebook.

    Agents of the project and of the user's configuration are found there again.
    """
    import yaml

    # The one that answers counts, also when it is a copy of the parent.
    agents = {agent.name: agent for agent in (*known, plan.agent)}
    tables = {
        agent.name: _table(agent, parent.roots, project)
        for agent in agents.values()
        if agent.origin in _OF_CONVERSATION
    }
    if plan.agent.name == DEFAULT_AGENT and not tables:
        return ""
    defined = {"agents": tables} if tables else {}
    return yaml.safe_dump(
        {**defined, "default_agent": plan.agent.name}, allow_unicode=True, sort_keys=False
    )


def relative(path: Path, folder: Path) -> str:
    """Return a path relative to a folder, with slashes."""
    return Path(os.path.relpath(path, folder)).as_posix()


def link_to(path: Path, parent: Parent) -> str:
    """Return the path of a sub-agent's file, relative to the folder with its parent's file.

    It names the folder of all sub-agents also where both files are in it.
    """
    own, link = parent.transcript.path, relative(path, parent.folder)
    is_below = own is not None and own.absolute().parent != parent.folder
    return f"{_UP}{link}" if is_below else link


def _allowed_tools(parent: Parent) -> list[str] | None:
    """Return the tools that a sub-agent may have; None if neither agent nor file restrict the parent."""
    agent, lineage = parent.active_agent.agent, lineage_of(parent.transcript)
    if agent.tools is None and lineage.tools is None and agent.mcp_servers is None:
        return None
    return [tool.name for tool in parent.active_agent.tools]


def _table(agent: Agent, roots: Roots, project: Path) -> dict[str, Any]:
    """Return the properties of an agent, as a frontmatter defines it."""
    if agent.allowed_uris is not None:
        uris = [_moved(uri, roots, project) for uri in agent.allowed_uris]
        agent = replace(agent, allowed_uris=tuple(uris))
    unset = Agent("")
    values = {key: getattr(agent, key) for key in PROPERTIES}
    return {
        key: list(value) if isinstance(value, tuple) else value
        for key, value in values.items()
        if value != getattr(unset, key)
    }


def _moved(uri: str, roots: Roots, project: Path) -> str:
    """Return a path of the parent's notebook as it is written in a conversation of the project."""
    try:
        return relative(roots.resolve(uri), project)
    except ToolError:
        return uri
