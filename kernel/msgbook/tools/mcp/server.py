"""One configured server: its tools, state and calls, as the kernel sees it, and its starts in the client's thread."""

from __future__ import annotations

import asyncio
import os
import threading
from collections import deque
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from msgbook.approval import StoreError
from msgbook.config import McpServerSettings
from msgbook.tools.mcp.listing import KeptLists, ListedTool, Listing, is_about
from msgbook.tools.mcp.tool import McpError, McpTool, Progress, tool_name

if TYPE_CHECKING:
    from msgbook.tools.mcp.connection import Connection


State = Literal["running", "not started", "failed", "not used"]


class McpServer:
    """A server whose tools stay the same for the kernel's life, until `refresh`.

    Args:
        redact: Removes secrets from what is kept and shown.

    Attributes:
        failure: Why it could not be started; empty if it was not tried, or started.
        has_changed: Whether its tools have changed.
        has_learned: Whether it was started only to list its tools.
    """

    def __init__(
        self,
        settings: McpServerSettings,
        thread: ClientThread,
        lists: KeptLists,
        redact: Callable[[str], str],
    ) -> None:
        self.settings = settings
        self.failure = ""
        self.has_changed = False
        self.has_learned = False
        self._thread = thread
        self._lists = lists
        self._redact = redact
        self._listing: Listing | None = None
        self._newest: Listing | None = None
        self._running = RunningServer(settings, self._keep, self._note_change)

    @property
    def state(self) -> State:
        """State of the server now."""
        if self.settings.problem:
            return "not used"
        if self._running.is_running:
            return "running"
        return "failed" if self.failure else "not started"

    @property
    def listing(self) -> Listing | None:
        """The list of tools that holds; None if it is not known yet."""
        return self._listing

    @property
    def tools(self) -> list[McpTool]:
        """The tools that are offered, by their names."""
        listed = self._listing.tools if self._listing is not None else ()
        made = [self._tool(tool) for tool in listed if self._is_enabled(tool.name)]
        return sorted(made, key=lambda tool: tool.name)

    @property
    def problems(self) -> list[str]:
        """Parts of the list and of the table that are left out; a line each."""
        if self._listing is None:
            return []
        names = {tool.name for tool in self._listing.tools}
        found, disabled = self._listing.problems, self.settings.disabled_tools
        wanted = [*(self.settings.enabled_tools or ()), *disabled]
        unknown = [name for name in wanted if name not in names]
        unknown = [name for name in unknown if not any(is_about(line, name) for line in found)]
        said = [line for line in found if not any(is_about(line, name) for name in disabled)]
        return [*said, *(f"it has no tool {name!r}" for name in unknown)]

    def load(self) -> None:
        """Take the list that was kept from the time before, if none is known. Reads a file."""
        if self._listing is None:
            self._listing = self._lists.load(self.settings.digest)

    async def learn(self) -> None:
        """Start the server, and take its list of tools.

        Raises:
            McpError: It cannot be started.
        """
        self.has_learned = True
        await self._start(self._running.start)
        self._take_newest()

    async def refresh(self) -> None:
        """Start the server anew, and take its list of tools.

        Raises:
            McpError: It cannot be started; the list stays.
        """
        await self._start(self._running.restart)
        self._take_newest()

    async def call(
        self,
        tool: str,
        arguments: Mapping[str, Any],
        on_progress: Progress,
        *,
        is_free: bool = False,
    ) -> dict[str, Any]:
        """Call a tool by the server's own name for it.

        Args:
            is_free: Whether nobody was asked, because of the server's hints.

        Raises:
            McpError: The call failed.
        """

        def check() -> None:
            if is_free:
                self._check_hints(tool)

        try:
            result = await self._thread.run(
                lambda: self._running.call(tool, arguments, on_progress, check)
            )
        except McpError as error:
            raise McpError(self._redact(str(error))) from None
        self.failure = ""
        return result

    async def close(self) -> None:
        """End the server. Call it in the client's thread."""
        await self._running.close()

    async def _start(self, start: Callable[[], Any]) -> None:
        async def work() -> None:
            await start()

        try:
            await self._thread.run(work)
        except McpError as error:
            self.failure = self._redact(str(error))
            raise McpError(self.failure) from None
        self.failure = ""

    def _keep(self, listing: Listing) -> None:
        """Note a new list, and keep it for the next kernel. Runs in the client's thread."""
        listing = listing.redacted(self._redact)
        self._newest = listing
        if self._listing is not None and self._listing.digest != listing.digest:
            self.has_changed = True
        try:
            self._lists.save(self.settings.digest, listing)
        except StoreError:
            return  # the next kernel asks the server

    def _note_change(self) -> None:
        self.has_changed = True

    def _take_newest(self) -> None:
        if self._newest is not None:
            self._listing = self._newest
        self.has_changed = False

    def _tool(self, listed: ListedTool) -> McpTool:
        settings = self.settings
        is_free = settings.trust_hints and listed.only_reads
        return McpTool(
            name=tool_name(settings.name, listed.name),
            read_only=is_free,
            server=settings.name,
            listed=listed,
            digest=settings.digest,
            call_server=partial(self.call, is_free=is_free),
        )

    def _check_hints(self, name: str) -> None:
        """Raise `McpError` if the server that runs no longer says that a tool only reads."""
        for tool in self._newest.tools if self._newest is not None else ():
            if tool.name == name and not tool.only_reads:
                raise McpError(
                    "it was not called, since nobody was asked and the server says by now that it does "
                    f"not only read. %mcp refresh {self.settings.name} takes its new list."
                )

    def _is_enabled(self, name: str) -> bool:
        enabled = self.settings.enabled_tools
        return (enabled is None or name in enabled) and name not in self.settings.disabled_tools


async def close_all(servers: list[McpServer]) -> None:
    """End servers side by side. Call it in the client's thread."""
    await asyncio.gather(*(server.close() for server in servers), return_exceptions=True)


# One server in the client's thread: started when it is needed, and started again after it has ended.


RESTARTS = 3
"""Times that a server is started again within `_PERIOD`: one that dies at each start would be started forever."""
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
            raise McpError("it was stopped or restarted before it was ready") from None

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


# One daemon thread with an event loop of its own, in which all connections to MCP servers live.
#
# A server that does not read holds up whoever writes to it. The kernel's loop never does: it waits for a
# future, and can leave it at any time.


T = TypeVar("T")

_JOIN = 0.5
"""Seconds that closing waits for the thread."""


class ClientThread:
    """Runs coroutines in its own thread, which starts with the first of them.

    Args:
        prepare: Called in the thread before its loop runs; imports what takes long.
    """

    def __init__(self, prepare: Callable[[], object]) -> None:
        self._prepare = prepare
        self._thread: threading.Thread | None = None
        self._loop: Future[asyncio.AbstractEventLoop] = Future()

    @property
    def is_running(self) -> bool:
        """True once anything was to run, unless the thread could not be prepared."""
        has_failed = self._loop.done() and self._loop.exception() is not None
        return self._thread is not None and not has_failed

    async def run(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Run a coroutine in the thread and return its result.

        If the caller is cancelled, the coroutine is cancelled as well, and the caller does not wait for it.
        An exception of `prepare` is raised each time.
        """
        if self._thread is None:
            self._thread = threading.Thread(target=self._main, name="mcp", daemon=True)
            self._thread.start()
        # Shielded: a caller that is cancelled must not cancel the start for those that follow.
        loop = await asyncio.shield(asyncio.wrap_future(self._loop))
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work(), loop))

    async def stop(self) -> None:
        """Stop the thread without waiting for running work."""
        if self._thread is None or not self._loop.done() or not self.is_running:
            return
        loop = self._loop.result()
        loop.call_soon_threadsafe(loop.stop)
        await asyncio.to_thread(self._thread.join, _JOIN)

    def _main(self) -> None:
        try:
            self._prepare()
            loop = asyncio.new_event_loop()
        except BaseException as error:
            self._loop.set_exception(error)
            return
        loop.call_soon(self._loop.set_result, loop)
        try:
            loop.run_forever()
        finally:
            _cancel_all(loop)
            loop.close()


def _cancel_all(loop: asyncio.AbstractEventLoop) -> None:
    """Cancel what still runs, and give it one round of the loop."""
    for task in asyncio.all_tasks(loop):
        task.cancel()
    loop.run_until_complete(asyncio.sleep(0))
