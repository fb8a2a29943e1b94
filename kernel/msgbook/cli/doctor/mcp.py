"""Checks of the MCP servers: each is started once, and says what it offers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator

from msgbook.config import Settings, redact
from msgbook.server_checks.findings import Finding
from msgbook.text import counted, join_first, visible
from msgbook.tools.mcp import McpError, McpServer, McpServers

_NAMED = 6
"""Tools that a finding names."""


async def check_mcp_servers(settings: Settings) -> AsyncIterator[Finding]:
    """Start all servers side by side; yield a finding for each, in the order of the file."""
    servers = McpServers(settings.mcp_servers, lambda text: redact(text, settings.secrets))
    if servers.missing:
        yield Finding("mcp", "unknown", f"MCP servers are not used: {servers.missing}")
        return
    usable = [server for server in servers.servers.values() if not server.settings.problem]
    try:
        checks = [asyncio.create_task(_check(server)) for server in usable]
        for check in checks:
            yield await check
        for clash in servers.clashes(servers.servers):
            yield Finding("mcp", "fail", clash)
    finally:
        await servers.close()


async def _check(server: McpServer) -> Finding:
    name, started = visible(server.settings.name), time.monotonic()
    try:
        await server.refresh()
    except McpError as error:
        return Finding("mcp", "fail", f"{name}: {error}")
    tools = server.tools
    asking = sum(not tool.read_only for tool in tools)
    seconds = time.monotonic() - started
    named = join_first([visible(tool.listed.name) for tool in tools], _NAMED)
    found = [
        f"{name}: {counted(len(tools), 'tool')} in {seconds:.1f} s ({named or 'none'})",
        f"{asking} need{'s' * (asking == 1)} approval",
        *server.problems,
    ]
    return Finding("mcp", "unknown" if server.problems else "pass", "; ".join(found))
