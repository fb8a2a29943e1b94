"""The lists of tools that servers gave before, so that a server need not start before its first call."""

from __future__ import annotations

from pathlib import Path

from msgbook.approval import StoreError
from msgbook.approval.store import Store, data_file
from msgbook.tools.mcp.listing import Listing, read_listing


class KeptLists:
    """Lists of tools, each in a file that only the user can read.

    A list belongs to the digest of its server's table: a table that was changed has none.

    Args:
        folder: By default `msgbook/mcp` in Jupyter's data directory.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or data_file("mcp")

    def load(self, digest: str) -> Listing | None:
        """Return a list; None if there is none that can be read."""
        try:
            kept = self._store(digest).read()
        except StoreError:
            return None
        tools, problems = kept.get("tools"), kept.get("problems")
        said = map(str, problems) if isinstance(problems, list) else ()
        return read_listing(tools, said) if isinstance(tools, list) else None

    def save(self, digest: str, listing: Listing) -> None:
        """Keep a list.

        Raises:
            StoreError: It cannot be written.
        """
        tools = [tool.as_json() for tool in listing.tools]
        kept = {"version": 1, "tools": tools, "problems": list(listing.problems)}
        self._store(digest).write(kept)

    def _store(self, digest: str) -> Store:
        return Store(self._folder / f"{digest}.json")
