"""One configured server, as the kernel sees it: its tools, its state, and its calls."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal

from msgbook.approval import StoreError
from msgbook.config import McpServerSettings
from msgbook.tools.mcp.client_thread import ClientThread
from msgbook.tools.mcp.failures import McpError
from msgbook.tools.mcp.kept_lists import KeptLists
from msgbook.tools.mcp.listing import ListedTool, Listing, is_about
from msgbook.tools.mcp.names import tool_name
from msgbook.tools.mcp.progress import Progress
from msgbook.tools.mcp.running_server import RunningServer
from msgbook.tools.mcp.tool import McpTool

State = Literal["running", "not started", "failed", "not used"]


class McpServer:
    """A server whose tools stay the same for the kernel's life, until `refresh`.

    Args:
        redact: Removes secrets from what is kept and shown.

    Attributes:
        failure: Why it could not be started; empty if it was not tried, or started.
        has_changed: Whether it offers other tools by now.
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
