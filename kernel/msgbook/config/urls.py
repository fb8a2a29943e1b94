"""URLs of servers and proxies: what is wrong with one, how it is shown, and which base URL it holds. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple
from urllib.parse import urlsplit, urlunsplit

from msgbook.messages import ApiName
from msgbook.text import one_line, visible

LONGEST_SHOWN = 200
"""Characters of a URL that a message quotes."""


_QUOTES = ("'", '"', "\u201c", "\u2018")


def find_url_problem(url: str, schemes: Collection[str]) -> str:
    """Return what is wrong with a URL, as the end of a sentence; empty if nothing is.

    Args:
        schemes: Those that are allowed.
    """
    if url[:1] in _QUOTES or url.partition("://")[2][:1] in _QUOTES:
        return "it stands in quotation marks"
    # `urlsplit` drops line breaks, and other libraries refuse them.
    if not url.isprintable() or " " in url:
        return "it contains a blank, a line break or another character that no URL has"
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return "the part with its host cannot be read"
    if parts.scheme not in schemes:
        return f"it begins with {parts.scheme}:" if "://" in url else "it has no scheme"
    if not host:
        return "it names no host"
    try:
        is_port = parts.port != 0
    except ValueError:
        is_port = False
    if not is_port:
        return "its port is not a number from 1 to 65535"
    return "" if _is_host(host) else "its host is not the name of one"


def show_url(url: str) -> str:
    """Return a URL, however wrong, without the parts that may be secret: user, password and query."""
    scheme, separator, rest = url.partition("://") if "://" in url else ("", "", url)
    # A password may contain any sign, a slash too.
    shown = rest.rpartition("@")[2].partition("?")[0].partition("#")[0]
    return visible(one_line(f"{scheme}{separator}{shown}", LONGEST_SHOWN))


_PORTS = {"http": 80, "https": 443}


def origin_of(url: str) -> tuple[str, str, int | None] | None:
    """Return scheme, host and port of a URL; None if it has none that can be read."""
    if find_url_problem(url, _PORTS):
        return None
    parts = urlsplit(url)
    return parts.scheme, parts.hostname or "", parts.port or _PORTS[parts.scheme]


def _is_host(host: str) -> bool:
    """Return whether the system can look a name up; it raises another error for others than for unknown names."""
    try:
        host.encode("idna")
    except UnicodeError:
        return False
    return True


# The URL of a model server as people have it: a base URL, a whole endpoint, or one with a query. Pure.


_ENDPOINTS: Mapping[str, ApiName] = {
    "/chat/completions": "chat",
    "/responses": "responses",
    "/v1/messages": "anthropic",
}
"""Ends of URLs that do not belong to a base URL, and the API that they belong to. `/models` may be a base URL, as Azure AI's is."""


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


_VERSION = "/v1"


def with_version(url: str) -> str:
    """Return a base URL with the version at the end of its path: Anthropic's own SDK adds it, and people have it without."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    path = parts.path.rstrip("/")
    return url if path.endswith(_VERSION) else urlunsplit(parts._replace(path=path + _VERSION))


def split_query(url: str) -> tuple[str, str]:
    """Return a base URL without its query, and the query with its `?`; empty for none."""
    parts = urlsplit(url)
    bare = urlunsplit(parts._replace(query="", fragment=""))
    return bare, f"?{parts.query}" if parts.query else ""
