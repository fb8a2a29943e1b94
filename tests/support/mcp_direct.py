"""MCP servers without a conversation: started, asked and called directly."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import psutil

from msgbook.approval import ApprovalRequiredError
from msgbook.config import McpServerSettings
from msgbook.tools import CallContext, Content
from msgbook.tools.mcp import McpServers


class Servers:
    """Servers whose notices are collected, and whose calls are all approved."""

    def __init__(self, *settings: McpServerSettings) -> None:
        self.said: list[str] = []
        self.mcp = McpServers({one.name: one for one in settings}, lambda text: text)
        self.names = [one.name for one in settings]

    async def ready(self) -> Servers:
        await self.mcp.ready(self.names, self.said.append, self.said.append)
        self.said += self.mcp.notices(self.names)
        return self

    def tool_names(self) -> list[str]:
        return [tool.name for tool in self.mcp.tools(self.names)]

    async def call(
        self,
        name: str,
        arguments: dict[str, Any] | None = None,
        show: Callable[[str], None] = print,
    ) -> Content:
        tool = next(tool for tool in self.mcp.tools(self.names) if tool.listed.name == name)
        text = json.dumps(arguments or {})
        try:
            return await tool.call(text, CallContext(show=show))
        except ApprovalRequiredError as error:
            return await tool.call(text, CallContext(error.approval_request, show))


@asynccontextmanager
async def started(*settings: McpServerSettings) -> AsyncIterator[Servers]:
    """Start servers, and end them with the context."""
    servers = Servers(*settings)
    try:
        yield await servers.ready()
    finally:
        await servers.mcp.close()


def processes_with(word: str) -> list[psutil.Process]:
    """Return the processes of the machine that have a word, which no other test uses, in their command line."""
    found = []
    for process in psutil.process_iter():
        try:
            if word in " ".join(process.cmdline()) and process.status() != "zombie":
                found.append(process)
        except psutil.Error:
            continue
    return found
