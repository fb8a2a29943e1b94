"""The tools of MCP servers in a cassette: what each offered, and servers that offer it again and never start."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from msgbook.config import McpServerSettings
from msgbook.tools.mcp import McpServers, RecordedServer, read_listing

if TYPE_CHECKING:
    from msgbook.cassette.lines import McpLine


def list_offers(servers: McpServers | None) -> dict[str, dict[str, Any]]:
    """Return what is known of servers, by their names. Those that were not needed are left out."""
    if servers is None or not servers.servers:
        return {}
    offers = {}
    for name, server in servers.servers.items():
        listing = server.listing
        if listing is None and not server.failure and not servers.missing:
            continue
        offers[name] = {
            "tools": None if listing is None else [tool.as_json() for tool in listing.tools],
            "problems": [] if listing is None else list(listing.problems),
            "failure": server.failure,
            "missing": servers.missing,
            "learned": server.has_learned,
        }
    return offers


def recorded_servers(
    settings: Mapping[str, McpServerSettings],
    redact: Callable[[str], str],
    offers: Mapping[str, McpLine],
) -> McpServers:
    """Return servers that offer what a cassette says."""
    missing = next((offer.missing for offer in offers.values()), "")
    servers = McpServers({}, redact, missing=missing)
    for name, server in settings.items():
        offer = offers.get(name)
        tools = None if offer is None else offer.tools
        listing = None if offer is None or tools is None else read_listing(tools, offer.problems)
        servers.servers[name] = RecordedServer(
            server,
            listing,
            failure=offer.failure if offer is not None else "it is not in the cassette",
            learned=offer is not None and offer.learned,
        )
    return servers
