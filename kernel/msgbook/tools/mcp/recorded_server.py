"""A server of a cassette: it offers what it offered, and is never started."""

from __future__ import annotations

from msgbook.config import McpServerSettings
from msgbook.tools.mcp.listing import KeptLists, Listing
from msgbook.tools.mcp.server import ClientThread, McpServer
from msgbook.tools.mcp.tool import McpError


class RecordedServer(McpServer):
    """A server that cannot be reached.

    Args:
        recorded: The tools that it offered; None if it could not be started.
        failure: Why not.
        learned: Whether it was started only to list its tools.
    """

    def __init__(
        self, settings: McpServerSettings, recorded: Listing | None, *, failure: str, learned: bool
    ) -> None:
        super().__init__(settings, ClientThread(_refuse), KeptLists(), str)
        self._recorded = recorded
        self._failure = failure
        self._is_unknown = learned

    def load(self) -> None:
        """Take the recorded list, unless the server was started for it."""
        if not self._is_unknown:
            self._listing = self._recorded
            self.failure = self._failure

    async def learn(self) -> None:
        """Take the recorded list, or fail as the server did.

        Raises:
            McpError: It could not be started.
        """
        self._listing, self.failure = self._recorded, self._failure
        if self._recorded is None:
            raise McpError(self.failure)


def _refuse() -> None:
    raise McpError("a cassette starts no server")
