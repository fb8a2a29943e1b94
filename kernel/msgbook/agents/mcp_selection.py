"""Selection of the tools of MCP servers that an agent is offered. Pure.

`mcp_servers` chooses servers, all if it is missing. `tools` chooses among all tools by name; servers that
`mcp_servers` names give all of theirs, unless `tools` names some of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

from msgbook.agents.agent import Agent


class ServerTool(Protocol):
    """A tool of a server."""

    @property
    def name(self) -> str:
        """Name that a model sees."""
        ...

    @property
    def server(self) -> str:
        """Name of its server."""
        ...


T = TypeVar("T", bound=ServerTool)


def select_servers(agent: Agent, configured: Iterable[str], prefix: str) -> list[str]:
    """Return the names of the servers of which an agent may be offered tools.

    Args:
        prefix: Beginning of the names of all tools of servers.
    """
    if agent.mcp_servers is not None:
        return [name for name in configured if name in agent.mcp_servers]
    if agent.tools is not None and not any(name.startswith(prefix) for name in agent.tools):
        return []
    return list(configured)


def select_server_tools(agent: Agent, tools: Sequence[T]) -> list[T]:
    """Return those of the tools of the selected servers that an agent is offered, in their order."""
    wanted = agent.tools
    if wanted is None:
        return list(tools)
    chosen = {tool.server for tool in tools if tool.name in wanted}
    whole = set(agent.mcp_servers or ()) - chosen
    return [tool for tool in tools if tool.name in wanted or tool.server in whole]
