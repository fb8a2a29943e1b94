"""The check of a call of `dispatch_subagents`: which agent gets which task, what it may read, and what its file begins with."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from msgbook.agents import (
    Agent,
    AgentSources,
    ProjectFiles,
    UnknownAgentError,
    list_available_agents,
    narrow_roots,
    resolve_agent,
    select_server_tools,
    select_servers,
)
from msgbook.approval import MCP_PREFIX, ApprovalRequest, Roots
from msgbook.errors import ToolError
from msgbook.request import deactivate, lineage_of
from msgbook.subagents.parent import Parent
from msgbook.text import counted, join_first, one_line, repair_surrogates, visible
from msgbook.tools import CELL_TOOLS, DISPATCH, SubagentTask, runs_in_kernel, subagents_folder
from msgbook.tools.mcp import McpTool
from msgbook_format.agent_states import SUB_AGENTS
from msgbook_format.agents import DEFAULT_AGENT, PROPERTIES, new_agent_metadata
from msgbook_format.syntax import CHAT_CELLS

_MOST_NAMED = 20
"""Agents that an error lists for the model."""
_SOURCE_LIMIT = 1_000_000
"""Characters of a sub-agent's prompt: a person is asked about all of it."""


@dataclass(frozen=True, slots=True)
class Plan:
    """One sub-agent, before it is started."""

    name: str
    prompt: str
    """The task, as the parent wrote it."""
    source: str
    """Source of its first cell."""
    agent: Agent
    model: str | None
    """The model that its first cell names; None if the agent or the settings name one."""
    folders: tuple[Path, ...]
    """Real paths below which it reads without approval."""


class AgentTypes(NamedTuple):
    """The agents that a turn's agent could start."""

    parent: Parent
    sources: AgentSources

    def list_allowed(self) -> list[Agent]:
        """Return the agents that may be named as `agent_type`."""
        available = list_available_agents(self.parent.transcript.earlier, self.sources)
        return [found.agent for found in available if self._allows(found.agent.name)]

    def find(self, name: str | None) -> tuple[Agent, str | None]:
        """Return the agent for an `agent_type`, and the model that its cell has to name, if any.

        Raises:
            ToolError: There is no such agent, or the parent may not start it.
        """
        active = self.parent.active_agent
        own = active.agent
        if name is None or not name.strip():
            if own.allowed_child_types is not None and own.name not in own.allowed_child_types:
                allowed = self._named_allowed()
                raise ToolError(f"agent_type is missing: name one of {allowed}.")
            return own, None if active.model in own.models else active.model
        name = name.strip()
        if name in self.parent.agents:
            raise ToolError(self._refusal(name))
        try:
            resolved = resolve_agent(name, self.parent.transcript.earlier, self.sources)
        except UnknownAgentError:
            raise ToolError(
                f"There is no agent {visible(one_line(name, 60))!r}. Agents that you can start: "
                f"{self._named_allowed()}."
            ) from None
        if not self._allows(name):
            raise ToolError(self._refusal(name))
        agent = resolved.agent
        if agent.models:
            return agent, None
        if resolved.model is None and agent.provider == own.provider:
            return agent, active.model
        return agent, resolved.model

    def _allows(self, name: str) -> bool:
        allowed = self.parent.active_agent.agent.allowed_child_types
        return name not in self.parent.agents and (allowed is None or name in allowed)

    def _refusal(self, name: str) -> str:
        own, shown = self.parent.active_agent.agent, visible(name)
        if name == own.name:
            why = "Leave agent_type out for an agent like you."
        elif name in self.parent.agents:
            why = "It is one of the agents above you."
        else:
            why = f"Allowed types: {self._named_allowed()}."
        return f"Agent type {visible(own.name)!r} cannot dispatch {shown!r}. {why}"

    def _named_allowed(self) -> str:
        names = [visible(one_line(agent.name, 60)) for agent in self.list_allowed()]
        return join_first(names, _MOST_NAMED) or "none"


def agent_types(parent: Parent, project: ProjectFiles) -> AgentTypes:
    """Return the agents that a turn's agent could start."""
    transcript = parent.transcript
    settings = parent.conversation.services.settings
    sources = AgentSources.from_notebook(
        transcript.metadata, project, settings.agents, transcript.path
    )
    return AgentTypes(parent, sources)


def plan_subagents(types: AgentTypes, broadcast: str, tasks: Sequence[SubagentTask]) -> list[Plan]:
    """Check the tasks of a call, all of them before any is started.

    Raises:
        ToolError: One of them cannot be done; the message says which, and what was expected.
    """
    parent = types.parent
    left = parent.budgets.subagents_left
    if len(tasks) > left:
        limit = parent.active_agent.limits.max_subagents
        raise ToolError(
            f"{len(tasks)} sub-agents were asked for, but this turn may start only {left} more "
            f"(max_subagents is {limit}). Nothing was started. Ask for fewer, with larger tasks."
        )
    plans = []
    for number, task in enumerate(tasks):
        try:
            plans.append(_plan(types, broadcast, task))
        except ToolError as error:
            raise ToolError(f"sub_agents[{number}]: {error} Nothing was started.") from None
    return plans


def approval_request(parent: Parent, broadcast: str, plans: Sequence[Plan]) -> ApprovalRequest:
    """Return the request to approve a call: each agent with its folders and its whole prompt."""
    lines, where = [], subagents_folder(parent.conversation.folder)
    if where != ".":
        lines += [
            f"They work in the project's folder, which is `{where}` from this notebook: paths in a task start there.",
            "",
        ]
    if broadcast.strip():
        lines += ["Context for all of them:", *_indented(broadcast), ""]
    for number, plan in enumerate(plans, 1):
        folders = ", ".join(_named_folders(parent, plan)) or "nothing"
        model = f", model {visible(plan.model)}" if plan.model else ""
        asking = f"; tools that need approval: {tools}" if (tools := _asking(parent, plan)) else ""
        lines.append(
            f"{number}. Agent {visible(plan.agent.name)}{model}; may read {folders}{asking}; its task:"
        )
        lines += _indented(plan.prompt)
    return ApprovalRequest(f"it starts {counted(len(plans), 'sub-agent')}", "\n".join(lines))


def _plan(types: AgentTypes, broadcast: str, task: SubagentTask) -> Plan:
    prompt = task.prompt
    if not prompt.strip():
        raise ToolError("the prompt is empty; write the task into it.")
    if len(prompt) + len(broadcast) > _SOURCE_LIMIT:
        raise ToolError(f"the prompt has more than {_SOURCE_LIMIT:,} characters.")
    agent, model = types.find(task.agent_type)
    folders = _folders(types.parent, task.allowed_uris)
    return Plan(name_of(prompt), prompt, make_source(broadcast, prompt), agent, model, folders)


def _folders(parent: Parent, uris: Sequence[str] | None) -> tuple[Path, ...]:
    """Return the paths that a sub-agent may read: of those that its parent may read."""
    if uris is None:
        return parent.readable
    roots = parent.roots
    wanted = replace(parent.active_agent.agent, allowed_uris=tuple(uris))

    def resolve(path: str) -> Path | None:
        try:
            return roots.resolve(path)
        except ToolError:
            return None

    folders, outside = narrow_roots(wanted, parent.readable, resolve)
    if outside:
        readable = ", ".join(map(roots.format_path, parent.readable)) or "nothing"
        raise ToolError(f"{outside[0]} You may read: {readable}.")
    return folders


def _named_folders(parent: Parent, plan: Plan) -> list[str]:
    paths = map(parent.roots.format_path, plan.folders)
    return ["this folder" if path == "." else visible(path) for path in paths]


def _asking(parent: Parent, plan: Plan) -> str:
    """Return the names of the tools that a sub-agent is offered and that need approval.

    Those that start sub-agents are left out: their own questions show what they do. It is offered none on cells.
    """
    agent, left_out = plan.agent, (DISPATCH, *CELL_TOOLS)
    tools = [
        tool
        for tool in parent.active_agent.tools
        if not tool.read_only and not runs_in_kernel(tool) and tool.name not in left_out
    ]
    of_servers = [tool for tool in tools if isinstance(tool, McpTool)]
    servers = select_servers(agent, {tool.server for tool in of_servers}, MCP_PREFIX)
    chosen = select_server_tools(agent, [tool for tool in of_servers if tool.server in servers])
    own = [
        tool
        for tool in tools
        if not isinstance(tool, McpTool) and (agent.tools is None or tool.name in agent.tools)
    ]
    names = [visible(tool.name) for tool in (*own, *chosen)]
    return join_first(names, _MOST_NAMED)


def _indented(text: str) -> list[str]:
    return [f"   {line}" for line in text.splitlines()]


# Contents of a sub-agent's file beside its cells: AgentMetadata, and the agents that answer in it.


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
        created_at=parent.conversation.services.ids.now(),
        name=plan.name,
        allowed_uris=[relative(folder, project) for folder in plan.folders],
        parent_agent_id=parent.uuid,
        parent=origin,
        file=relative(path, project),
    )
    metadata["parent"]["agents"] = list(parent.agents)
    tools, of_server = _allowed_tools(parent), parent.active_agent.server_tools
    if of_server:
        metadata["allowed_server_tools"] = list(of_server)
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


# The first message of a sub-agent: text of a model, in which nothing but text has an effect. Pure.


_NAME_LENGTH = 20
"""Characters of a prompt that name a sub-agent, as long as a title in a list."""


def name_of(prompt: str) -> str:
    """Return the name of a sub-agent: the beginning of its task, on one line, with dots if more follows."""
    line = one_line(prompt, _NAME_LENGTH + 1)
    dots = "..." if len(line) > _NAME_LENGTH else ""
    return visible(line[:_NAME_LENGTH]) + dots


def make_source(broadcast: str, prompt: str) -> str:
    """Return the source of a sub-agent's prompt cell, which never runs as code."""
    text = f"## Context Summary\n\n{broadcast}\n\n---\n\n{prompt}" if broadcast.strip() else prompt
    return CHAT_CELLS.as_message(deactivate(repair_surrogates(text)))
