"""The first exchange with a server: a version of the protocol, and the list of tools."""

from __future__ import annotations

from typing import Any

import mcp_types as types
from mcp import ClientSession
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from msgbook.tools.mcp.listing import TOOL_LIMIT, Listing, read_listing

_PAGES = 100
"""Pages of a list of tools that are read."""
_LENGTH = 20_000_000
"""Characters of a list of tools that are read."""


async def negotiate(session: ClientSession, *, over_http: bool) -> None:
    """Agree on a version of the protocol.

    Old programs do not answer `server/discover` at all, so over pipes the handshake comes first.
    """
    if over_http:
        try:
            await session.discover()
        except (MCPError, RuntimeError, ValidationError):
            await session.initialize()
        return
    try:
        await session.initialize()
    except MCPError as error:
        if error.code == types.CONNECTION_CLOSED:
            raise
        await session.discover()


async def list_tools(session: ClientSession, left_out: list[str]) -> Listing:
    """Return the tools of all pages. A server may give pages without end.

    Args:
        left_out: Lines about tools that the dispatcher leaves out; grows meanwhile.
    """
    tools: list[dict[str, Any]] = []
    cursor: str | None = None
    seen: set[str | None] = set()
    left = _LENGTH
    while cursor not in seen and len(seen) < _PAGES and len(tools) <= TOOL_LIMIT and left > 0:
        seen.add(cursor)
        page = await session.list_tools(params=types.PaginatedRequestParams(cursor=cursor))
        left -= len(page.model_dump_json())
        tools += (tool.model_dump(mode="json", by_alias=True) for tool in page.tools)
        cursor = page.next_cursor
        if cursor is None:
            return read_listing(tools, left_out)
    return read_listing(tools, [*left_out, "its list of tools has no end"])
