"""The tools of MCP servers behind the agent's other tools, as far as model servers take them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgbook.agents import Agent
from msgbook.errors import RESTART, MsgbookError
from msgbook.text import visible
from msgbook.tools import ToolSet
from msgbook.tools.mcp import McpTool

TOOL_LIMIT = 128
"""Tools of one request that common model servers take."""


class TooManyToolsError(MsgbookError):
    """An agent is offered more tools than a request can have."""


def with_server_tools(tools: ToolSet, server_tools: Sequence[McpTool], agent: Agent) -> ToolSet:
    """Return tools with those of MCP servers behind them. One of the same name stays as it is.

    Raises:
        TooManyToolsError: There are more than `TOOL_LIMIT`; the message counts them.
    """
    if not server_tools:
        return tools
    own = list(tools)
    names = {tool.name for tool in own}
    added = [tool for tool in server_tools if tool.name not in names]
    if len(own) + len(added) > TOOL_LIMIT:
        counts = Counter(tool.server for tool in added)
        listed = ", ".join(f"{visible(name)} {count}" for name, count in counts.most_common())
        raise TooManyToolsError(
            f"Agent {visible(agent.name)} is offered {len(own) + len(added)} tools, and model servers "
            f"take at most {TOOL_LIMIT}. Tools of MCP servers: {listed}; others: {len(own)}. Choose fewer "
            "with enabled_tools or disabled_tools of [mcp_servers.NAME] in msgbook.toml, or with "
            f"mcp_servers of the agent. After a change of the file, {RESTART}."
        )
    return ToolSet([*own, *added])
