"""The URL of a model server as people have it: a base URL, a whole endpoint, or one with a query. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlsplit, urlunsplit

from msgbook.messages import ApiName

_ENDPOINTS: Mapping[str, ApiName] = {"/chat/completions": "chat", "/responses": "responses"}
"""Ends of URLs that are no base URL, and the API that they belong to. `/models` may be a base URL, as Azure AI's is."""


class ServerUrl(NamedTuple):
    """A base URL, and the API of the endpoint that stood there, if any."""

    base: str
    """It keeps its query, which belongs to each request (Azure's `api-version`)."""
    api: ApiName | None


def read_server_url(url: str) -> ServerUrl:
    """Return the base URL of a URL that may be that of an endpoint."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ServerUrl(url, None)  # not a URL: the provider has a problem
    path = parts.path.rstrip("/")
    for end, api in _ENDPOINTS.items():
        if path.lower().endswith(end):
            base = parts._replace(path=path[: -len(end)], fragment="")
            return ServerUrl(urlunsplit(base), api)
    return ServerUrl(url, None)


def split_query(url: str) -> tuple[str, str]:
    """Return a base URL without its query, and the query with its `?`; empty for none."""
    parts = urlsplit(url)
    bare = urlunsplit(parts._replace(query="", fragment=""))
    return bare, f"?{parts.query}" if parts.query else ""
