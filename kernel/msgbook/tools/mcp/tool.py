"""A tool of an MCP server, as one of the tools that a model can call."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from msgbook.approval import ApprovalRequest
from msgbook.call_arguments import parse_arguments
from msgbook.errors import ToolError
from msgbook.text import one_line, visible
from msgbook.tools.base import CallContext, Content, Tool
from msgbook.tools.mcp.failures import McpError
from msgbook.tools.mcp.listing import ListedTool
from msgbook.tools.mcp.progress import Progress
from msgbook.tools.mcp.results import read_result

CallServer = Callable[[str, Mapping[str, Any], Progress], Awaitable[dict[str, Any]]]
"""Calls a tool by the server's own name for it; raises `McpError`."""

_UNASKED = CallContext()
_PROGRESS_INTERVAL = 0.25
"""Seconds between two lines of progress."""
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_./-]+")
_SHOWN = 200
"""Characters of a server's words about its progress."""


@dataclass(frozen=True, kw_only=True)
class McpTool(Tool):
    """A tool of an MCP server. Each call needs approval, unless the user trusts the server's hints."""

    bind: Any = None
    """None: the model is sent the server's schema, not that of a function."""
    server: str
    """Name of the server in the user's configuration."""
    listed: ListedTool
    digest: str
    """Digest of the server's table, for which approval rules hold."""
    call_server: CallServer = field(repr=False)

    @cached_property
    def schema(self) -> dict[str, Any]:
        """The function tool in the form of the chat API, with the server's own words."""
        return {
            "type": "function",
            "function": {
                "name": self.name,
                "description": self.listed.description,
                "parameters": self.listed.parameters,
            },
        }

    async def call(self, arguments: str, context: CallContext = _UNASKED) -> Content:
        """Call the server.

        Raises:
            ToolError: The arguments are no JSON object, or the call failed.
            ApprovalRequiredError: The call needs approval first.
        """
        try:
            given = parse_arguments(arguments)
            # Before anybody is asked: half characters and NaN reach no server.
            json.dumps(given, ensure_ascii=False, allow_nan=False).encode()
        except ValueError as error:
            raise ToolError(f"The arguments do not fit: {error}.") from None
        if not self.read_only:
            context.require(self._approval_request())
        shown = _ShownProgress(context.show)
        try:
            result = await self.call_server(self.listed.name, given, shown.add)
        except McpError as error:
            raise ToolError(f"MCP server {self.server}: {error}") from None
        finally:
            shown.stop()
        return read_result(result)

    def _approval_request(self) -> ApprovalRequest:
        tool, server = visible(one_line(self.listed.name, _SHOWN)), visible(self.server)
        if not _PLAIN_NAME.fullmatch(tool):
            tool = repr(tool)  # a name may be a sentence about the approval
        return ApprovalRequest(
            f"it calls {tool} of the MCP server {server}, which is a separate program",
            server=self.digest,
        )


class _ShownProgress:
    """Shows a server's progress, at most four lines a second.

    Make it in the loop where the call waits; the server's words come from another thread.
    """

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show = show
        self._loop = asyncio.get_running_loop()
        self._last = float("-inf")
        self._stopped = False

    async def add(self, progress: float, total: float | None, message: str | None) -> None:
        now = time.monotonic()
        if now - self._last < _PROGRESS_INTERVAL:
            return
        self._last = now
        done = f"{progress:g}/{total:g}" if total is not None else f"{progress:g}"
        line = f"{done} {one_line(message or '', _SHOWN)}".strip()
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._show_unless_stopped, f"{line}\n")

    def stop(self) -> None:
        """Show no more."""
        self._stopped = True

    def _show_unless_stopped(self, line: str) -> None:
        if not self._stopped:
            self._show(line)
