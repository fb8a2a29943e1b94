"""One server in the client's thread: started when it is needed, and started again after it has ended."""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from msgbook.config import McpServerSettings
from msgbook.tools.mcp.failures import McpError
from msgbook.tools.mcp.listing import Listing
from msgbook.tools.mcp.progress import Progress

if TYPE_CHECKING:
    from msgbook.tools.mcp.connection import Connection

RESTARTS = 3
"""Times that a server is started again within `_PERIOD`."""
_PERIOD = 300.0
"""Seconds."""


class RunningServer:
    """Starts a server for whoever needs it first. Use it in the loop of the client's thread.

    Args:
        on_listing: Called with the tools each time that the server has started.
        on_changed: Called when the server says that its tools have changed.
    """

    def __init__(
        self,
        server: McpServerSettings,
        on_listing: Callable[[Listing], None],
        on_changed: Callable[[], None],
    ) -> None:
        self._server = server
        self._on_listing = on_listing
        self._on_changed = on_changed
        self._starting: asyncio.Task[Connection] | None = None
        self._starts: deque[float] = deque(maxlen=RESTARTS + 1)

    @property
    def is_running(self) -> bool:
        """True if it has started and not ended."""
        task = self._starting
        if task is None or not task.done() or task.cancelled() or task.exception():
            return False
        return not task.result().ended

    async def start(self) -> Connection:
        """Return the connection, and start the server first if it does not run.

        The start goes on if the caller is cancelled.

        Raises:
            McpError: It cannot be started, or ended too often.
        """
        if self._starting is None or (self._starting.done() and not self.is_running):
            self._count_start()
            self._starting = asyncio.create_task(self._connect())
        starting = self._starting
        try:
            return await asyncio.shield(starting)
        except asyncio.CancelledError:
            if not starting.cancelled():
                raise  # the caller was
            raise McpError("it was ended, or started anew, before it had started") from None

    async def call(
        self,
        tool: str,
        arguments: Mapping[str, Any],
        on_progress: Progress,
        check: Callable[[], None],
    ) -> dict[str, Any]:
        """Call a tool of the server, which starts if it does not run.

        Args:
            check: Called when it runs; raises `McpError` if the tool is not to be called.

        Raises:
            McpError: The call failed.
        """
        try:
            connection = await self.start()
        except McpError as error:
            raise McpError(f"The server could not be started: {error}.") from None
        check()
        return await connection.call(tool, arguments, on_progress)

    async def restart(self) -> None:
        """Start the server anew, however often it has ended.

        Raises:
            McpError: It cannot be started.
        """
        await self.close()
        self._starts.clear()
        await self.start()

    async def close(self) -> None:
        """End the server."""
        task, self._starting = self._starting, None
        if task is None:
            return
        if not task.done():
            task.cancel()
        await asyncio.wait([task])
        if not task.cancelled() and not task.exception():
            await task.result().close()

    async def _connect(self) -> Connection:
        from msgbook.tools.mcp.connection import Connection  # imports the SDK
        from msgbook.tools.mcp.server_process import server_environment

        environment = server_environment(os.environ, self._server)
        connection = Connection(self._server, environment, self._on_changed)
        try:
            self._on_listing(await connection.open())
        except asyncio.CancelledError:
            await connection.close()
            raise
        return connection

    def _count_start(self) -> None:
        """Count a start.

        Raises:
            McpError: There have been too many.
        """
        now = asyncio.get_running_loop().time()
        if len(self._starts) > RESTARTS and now - self._starts[0] < _PERIOD:
            raise McpError(
                f"it has ended {RESTARTS + 1} times within 5 minutes; "
                f"%mcp refresh {self._server.name} starts it again"
            )
        self._starts.append(now)
