"""What a notebook narrows: its place among agents that call agents (seed 001), and tools that it switches off.

A file can only narrow: without these keys, a conversation is one of the user's own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Literal

from msgbook.agents import Agent, name_values
from msgbook.config.settings import Limits
from msgbook.notebook import Transcript, metadata_of
from msgbook.tools import AGENT_TYPES, CELL_TOOLS, DISPATCH, Tool, runs_in_kernel
from msgbook_format.agents import TASK_FINISH, AgentMetadata, agent_metadata_of
from msgbook_format.typed import as_dict, as_texts


@dataclass(frozen=True, slots=True)
class Lineage:
    """The agents above a conversation's agent."""

    agents: tuple[str, ...] = ()
    """Names of the agents above, from the user's own conversation down; empty for that one."""
    tools: tuple[str, ...] | None = None
    """Tools that its parent allows; None for no limit."""
    off: tuple[str, ...] = ()
    """Tools that the notebook switches off; names or patterns."""
    server_tools: tuple[str, ...] = ()
    """For a sub-agent: tools of the model's server that its parent has."""
    is_shown: bool = True
    """Whether a page or a file shows the notebook."""

    @property
    def depth(self) -> int:
        """Number of agents above."""
        return len(self.agents)

    def offers(self, tool: Tool, agent: Agent, limits: Limits) -> bool:
        """Return whether an agent in this place is offered a tool.

        Every sub-agent can report, and none runs code in the kernel or works on cells: its conversation has only
        messages.
        """
        if tool.name == TASK_FINISH:
            return self.depth > 0
        if tool.name in (DISPATCH, AGENT_TYPES) and not self._may_dispatch(agent, limits):
            return False
        if self.depth > 0 and runs_in_kernel(tool):
            return False
        if tool.name in CELL_TOOLS and (self.depth > 0 or not self.is_shown):
            return False
        return self.allows(tool) and (agent.tools is None or tool.name in agent.tools)

    def allows(self, tool: Tool) -> bool:
        """Return whether the agents above and the notebook allow a tool."""
        is_allowed = self.tools is None or tool.name in self.tools
        return is_allowed and not is_off(tool.name, self.off)

    def allows_server_tool(self, name: str) -> bool:
        """Return whether the agents above and the notebook allow a tool of the model's server."""
        return (self.depth == 0 or name in self.server_tools) and not is_off(name, self.off)

    def _may_dispatch(self, agent: Agent, limits: Limits) -> bool:
        """Return whether an agent may start sub-agents. One that is its own ancestor may not."""
        return (
            self.depth < limits.subagent_depth
            and limits.max_subagents > 0
            and agent.name not in self.agents
            and agent.allowed_child_types != ()
        )


def lineage_of(transcript: Transcript) -> Lineage:
    """Return the place of a transcript's conversation. An unreadable list of tools allows none."""
    metadata = agent_metadata_of(transcript.metadata)
    tools = metadata.get("allowed_tools")
    allowed = None if tools is None else _names(tools)
    off = switched_off("disabled_tools", transcript.metadata)
    parent_id = AgentMetadata.read(metadata).parent_id
    if parent_id is None:
        return Lineage(tools=allowed, off=off, is_shown=transcript.source != "memory")
    above = _names(as_dict(metadata.get("parent")).get("agents")) or (parent_id,)
    return Lineage(above, allowed, off, _names(metadata.get("allowed_server_tools")))


def _names(value: Any) -> tuple[str, ...]:
    return tuple(as_texts(value))


# Tools and MCP servers that a notebook switches off for all agents. Pure; a file may be hostile.


OffKey = Literal["disabled_tools", "disabled_mcp_servers"]


def switched_off(key: OffKey, metadata: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names, with the wildcards `*` and `?`, in a key of the notebook's `metadata.msgbook`.

    A value that cannot be read switches everything off: a file may only narrow.
    """
    value = metadata_of({"metadata": metadata}).get(key)
    if value is None:
        return ()
    try:
        return name_values(value)
    except ValueError:
        return ("*",)


def is_off(name: str, patterns: Iterable[str]) -> bool:
    """Return whether a name is switched off."""
    return any(name == pattern or fnmatchcase(name, pattern) for pattern in patterns)
