"""`%mcp`: the MCP servers, what they offer, and which calls need approval."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from msgbook.engine import Engine
from msgbook.magics.base import MagicContext, UsageError
from msgbook.text import counted, one_line, visible
from msgbook.tools.mcp import McpError, McpServer, McpTool

_SHOWN = 80
"""Characters of a description or a command."""


async def mcp(context: MagicContext, words: Sequence[str]) -> str:
    """List the servers; `refresh` starts one or all anew, and takes the tools that it offers now."""
    servers = context.engine.mcp
    if not servers.servers:
        return "There are no MCP servers. [mcp_servers.NAME] in msgbook.toml configures one. Then restart the kernel."
    if words and words[0] != "refresh":
        raise UsageError("Expected %mcp, %mcp refresh or %mcp refresh NAME.")
    names = list(words[1:]) or list(servers.servers)
    if names[0] not in servers.servers:
        known = ", ".join(servers.servers)
        raise UsageError(f"There is no MCP server {names[0]!r}. Configured are: {known}.")
    if not words:
        await servers.known(names)
        return context.engine.redact(_listing(context.engine))
    return "\n".join(await asyncio.gather(*(_refresh(context.engine, name) for name in names)))


async def _refresh(engine: Engine, name: str) -> str:
    try:
        await engine.mcp.refresh(name)
    except McpError as error:
        return f"{visible(name)}: {visible(str(error))}"
    engine.servers.forget_refused_tools()
    return f"{visible(name)}: {counted(len(engine.mcp.servers[name].tools), 'tool')}"


def _listing(engine: Engine) -> str:
    lines = [f"No server can be used: {engine.mcp.missing}"] if engine.mcp.missing else []
    for server in engine.mcp.servers.values():
        lines += _describe(server, engine)
    lines += engine.mcp.clashes(engine.mcp.servers)
    return "\n".join(lines)


def _describe(server: McpServer, engine: Engine) -> list[str]:
    settings = server.settings
    what = settings.url or " ".join((settings.command, *settings.args))
    shown = visible(one_line(engine.redact(what), _SHOWN))
    known = counted(len(server.tools), "tool") if server.listing else "tools not known yet"
    head = f"{visible(settings.name)}  [{server.state}]  {known}  {shown}".rstrip()
    said = [settings.problem or server.failure, *server.problems]
    if server.has_changed:
        said.append(f"it offers other tools by now; %mcp refresh {settings.name} takes them")
    lines = [f"    ! {visible(line)}" for line in said if line]
    return [head, *lines, *(f"    {_tool(tool)}" for tool in server.tools)]


def _tool(tool: McpTool) -> str:
    first = visible(one_line(tool.listed.description.partition("\n\n")[0], _SHOWN))
    return f"{tool.name}  [{approval_of(tool)}]  {first}".rstrip()


def approval_of(tool: McpTool) -> str:
    """Return whether calls of a tool need approval, and what its server says of it."""
    if tool.read_only:
        return "no approval: it only reads, says the server, whose hints you trust"
    if not tool.listed.reads_only:
        return "needs approval"
    where = "and may reach the network" if tool.listed.open_world else "and nothing outside"
    return f"needs approval; says that it only reads, {where}"
