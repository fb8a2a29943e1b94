"""The check of a call of `dispatch_subagents`: which agent gets which task, and what it may read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

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
from msgbook.approval import MCP_PREFIX, ApprovalRequest
from msgbook.errors import ToolError
from msgbook.subagents.parent import Parent
from msgbook.subagents.prompt import make_source, name_of
from msgbook.text import counted, join_first, one_line, visible
from msgbook.tools import DISPATCH, SubagentTask, runs_in_kernel, subagents_folder
from msgbook.tools.mcp import McpTool

_MOST_NAMED = 20
_SOURCE_LIMIT = 1_000_000


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
    settings = parent.engine.settings
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
    lines, where = [], subagents_folder(parent.engine.folder)
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

    Those that start sub-agents are left out: their own questions show what they do.
    """
    agent = plan.agent
    tools = [
        tool
        for tool in parent.active_agent.tools
        if not tool.read_only and not runs_in_kernel(tool) and tool.name != DISPATCH
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
