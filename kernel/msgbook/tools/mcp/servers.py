"""The MCP servers of the user's configuration, for all turns of a conversation."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Callable, Collection, Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import TYPE_CHECKING

from msgbook.config import McpServerSettings
from msgbook.text import counted, one_line

if TYPE_CHECKING:
    from msgbook.tools.mcp.listing import KeptLists
    from msgbook.tools.mcp.server import ClientThread, McpServer
    from msgbook.tools.mcp.tool import McpTool

_SAID = 3
"""Lines about one server that a notice has."""

Say = Callable[[str], None]


class McpServers:
    """Starts servers when they are needed, and offers their tools. Where none is set, nothing of them is imported.

    Args:
        redact: Removes secrets from what is kept and shown.
        lists: The lists of tools from the time before.
        missing: Advice on what has to be installed first; by default it is found out.
    """

    def __init__(
        self,
        settings: Mapping[str, McpServerSettings],
        redact: Callable[[str], str],
        lists: KeptLists | None = None,
        missing: str | None = None,
    ) -> None:
        self._thread: ClientThread | None = None
        self.servers: dict[str, McpServer] = {}
        self._redact = redact
        self._missing = missing
        if settings:
            self._make(settings, lists)

    def _make(self, settings: Mapping[str, McpServerSettings], lists: KeptLists | None) -> None:
        from msgbook.tools.mcp.listing import KeptLists
        from msgbook.tools.mcp.server import ClientThread, McpServer

        thread, kept = ClientThread(_import_client), lists or KeptLists()
        self._thread = thread
        self.servers = {
            name: McpServer(server, thread, kept, self._redact) for name, server in settings.items()
        }

    @property
    def missing(self) -> str:
        """Advice on what has to be installed before any server can be used; empty if nothing."""
        if self._missing is None:
            self._missing = missing_requirement() if self.servers else ""
        return self._missing

    async def ready(self, names: Collection[str], warn: Say, inform: Say) -> None:
        """Make the tools of some servers known; start those without a cached list of tools.

        Waits no longer than their time limits. A server that failed is not tried again.
        """
        servers = self._usable(names)
        if servers and self.missing:
            warn(f"The MCP servers {', '.join(names)} are not used: {self.missing}")
            return
        await asyncio.to_thread(_load, servers)
        unknown = [server for server in servers if server.listing is None and not server.failure]
        if unknown:
            called = ", ".join(server.settings.name for server in unknown)
            inform(f"Starting MCP servers, whose tools are not known yet: {called}.")
            await asyncio.gather(*(_learn(server) for server in unknown))

    async def known(self, names: Collection[str]) -> list[str]:
        """Load what is known of some servers, and start none. Return the names of the others."""
        servers = [] if self.missing else self._usable(names)
        await asyncio.to_thread(_load, servers)
        return [server.settings.name for server in servers if server.listing is None]

    def notices(self, names: Collection[str]) -> list[str]:
        """Return what a reader should know of some servers; a line each."""
        servers = [] if self.missing else self._usable(names)
        lines = [line for server in servers for line in _notices(server)]
        return [self._redact(line) for line in (*lines, *self.clashes(names))]

    def tools(self, names: Collection[str]) -> list[McpTool]:
        """Return the known tools of some servers, sorted by name. Two with one name are both left out."""
        owners = self._owners()
        found = [] if self.missing else [t for s in self._usable(names) for t in s.tools]
        return sorted((t for t in found if len(owners[t.name]) == 1), key=lambda tool: tool.name)

    async def refresh(self, name: str) -> None:
        """Start a server anew, and take its list of tools.

        Raises:
            McpError: It cannot be used or started.
        """
        from msgbook.tools.mcp.tool import McpError

        server = self.servers[name]
        if self.missing or server.settings.problem:
            raise McpError(self.missing or server.settings.problem)
        await server.refresh()

    async def close(self) -> None:
        """End all servers side by side."""
        if self._thread is not None and self._thread.is_running:
            from msgbook.tools.mcp.server import close_all

            servers = list(self.servers.values())
            await self._thread.run(lambda: close_all(servers))
            await self._thread.stop()

    def _usable(self, names: Iterable[str]) -> list[McpServer]:
        found = (self.servers[name] for name in names if name in self.servers)
        return [server for server in found if not server.settings.problem]

    def clashes(self, names: Collection[str]) -> list[str]:
        """Return a line for each name of a tool that one of the servers and another one would have."""
        return [
            f"The tool {name} is not offered, since it is provided by both MCP servers "
            f"{' and '.join(repr(owner) for owner in of)}. Give one of them another name."
            for name, of in self._owners().items()
            if len(of) > 1 and not set(names).isdisjoint(of)
        ]

    def _owners(self) -> dict[str, list[str]]:
        """Return the servers of each known tool. Those that an agent leaves out count too: an approval
        of their tool must not hold for another one of its name.
        """
        owners: dict[str, list[str]] = {}
        for server in [] if self.missing else self._usable(self.servers):
            for tool in server.tools:
                owners.setdefault(tool.name, []).append(server.settings.name)
        return owners


def digests_of(tools: Iterable[McpTool]) -> dict[str, str]:
    """Return the digest of each server's tools, by the server's name."""
    of: dict[str, list[McpTool]] = {}
    for tool in tools:
        of.setdefault(tool.server, []).append(tool)
    if not of:
        return {}
    from msgbook.tools.mcp.listing import digest_of

    return {name: digest_of(tool.listed for tool in tools) for name, tools in sorted(of.items())}


def _import_client() -> None:
    try:
        importlib.import_module("msgbook.tools.mcp.connection")
    except Exception as error:  # whatever a broken installation raises
        from msgbook.tools.mcp.tool import McpError

        raise McpError(
            f"the package mcp cannot be imported ({one_line(f'{type(error).__name__}: {error}', 200)}). "
            f"Install it again with: {INSTALL}"
        ) from error


def _load(servers: Iterable[McpServer]) -> None:
    for server in servers:
        server.load()


async def _learn(server: McpServer) -> None:
    from msgbook.tools.mcp.tool import McpError

    try:
        await server.learn()
    except McpError:
        return  # `failure` says it


def _notices(server: McpServer) -> list[str]:
    name = server.settings.name
    if server.failure and server.listing is None:
        words = f"The MCP server {name} could not be started, so its tools are not offered"
        return [f"{words}: {server.failure}. %mcp refresh {name} tries again."]
    lines = []
    if server.problems:
        left = "; ".join(server.problems[:_SAID])
        more = len(server.problems) - _SAID
        others = f" ({counted(more, 'more line')} in %mcp)" if more > 0 else ""
        lines.append(f"The MCP server {name}: {left}{others}.")
    if server.has_changed:
        lines.append(
            f"The MCP server {name} has changed its tools. Run %mcp refresh {name} to load them."
        )
    return lines


# Checks that the SDK (`mcp`) is installed, without importing it.


_OLDEST = (2, 3)
"""Oldest version of the SDK that has the transports used here."""
_TOO_NEW = 3
"""Next major version, which may change them."""
INSTALL = 'pip install "msgbook[mcp]"'


def missing_requirement() -> str:
    """Return what to install before MCP servers can be used; empty if nothing."""
    if find_spec("mcp") is None:
        return f"the package mcp is not installed. Install it with: {INSTALL}"
    try:
        found = version("mcp")
    except PackageNotFoundError:
        return f"the package mcp is not the one of PyPI. Install that with: {INSTALL}"
    numbers = tuple(int(part) for part in found.split(".")[:2] if part.isdigit())
    if _OLDEST <= numbers < (_TOO_NEW,):
        return ""
    return f"expected the package mcp 2.3 or a later 2.x, found {found}. Install it with: {INSTALL}"
