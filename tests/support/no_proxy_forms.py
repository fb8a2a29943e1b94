"""Values of NO_PROXY in every form, and URLs to try them on; httpx's, Python's and requests' reading of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit
from urllib.request import proxy_bypass_environment

import httpx
from httpx._utils import URLPattern, get_environment_proxies
from requests.utils import should_bypass_proxies

HOSTS = (
    "api.corp.example",
    "corp.example",
    "notcorp.example",
    "localhost",
    "127.0.0.1",
    "10.1.2.3",
    "[::1]",
    "[fe80::2]",
    "svc",
)
URLS = [f"http://{host}{port}/v1" for host in HOSTS for port in ("", ":8000", ":80")]

Routes = Mapping[str, str | None]

_NAMES = (
    "corp.example",
    "example",
    "localhost",
    "svc",
    "127.0.0.1",
    "10.1.2.3",
    "::1",
    "[::1]",
    "fe80::2",
)
_KNOWN_SHAPES = {
    "alone": "{}",
    "a dot": ".{}",
    "two dots": "..{}",
    "a port": "{}:8000",
    "a dot and a port": ".{}:8000",
    "another scheme": "https://{}",
    "blanks": " {} ",
    "commas": ",{},,",
    "behind a comma": "other.test,{}",
    "behind a comma and a blank": "other.test, {}",
}
_OUR_SHAPES = {
    "a star and a dot": "*.{}",
    "a star": "*{}",
    "the usual port": "{}:80",
    "any port": "{}:*",
    "a dot behind": "{}.",
    "a range": "{}/8",
    "a small range": "{}/120",
    "a slash": "{}/",
    "a scheme": "http://{}",
    "a scheme and a port": "http://{}:8000",
    "behind a blank": "other.test {}",
    "behind a semicolon": "other.test;{}",
    "behind a bar": "other.test|{}",
    "behind a tab": "other.test\t{}",
    "quoted": '"{}"',
}
SHAPES = _KNOWN_SHAPES | _OUR_SHAPES
"""What may stand around a name or an address."""

_KNOWN_VALUES = ("", " ", ",", ".", "*", "*,x", "x,*", "10.0.0.0/8", "10.1.2.0/24")
_OUR_VALUES = (
    " * ",
    "*.*",
    "10.",
    "10.1.",
    "127.",
    "10.*",
    "10/8",
    "10.1.2.0/255.255.255.0",
    "0.0.0.0/0",
    "::/0",
    "fe80::/10",
    "10.1.2.0-10.1.2.9",
    "<local>",
)

OURS = _OUR_SHAPES.keys() | {*_OUR_VALUES}
"""Forms that Go, Java, Windows and people know, of which none of the three libraries knows all."""


def forms() -> Iterator[tuple[str, str]]:
    """Yield each shape with a value of NO_PROXY, each value also in upper case."""
    for shape, text in SHAPES.items():
        for name in _NAMES:
            yield shape, text.format(name)
            yield shape, text.format(name.upper())
    for value in (*_KNOWN_VALUES, *_OUR_VALUES):
        yield value, value


def exempt_for_others(url: str, no_proxy: str, routes: Routes | None) -> bool:
    """Return whether httpx, Python or requests take no proxy.

    Args:
        routes: What `httpx_routes` returns for the value.
    """
    return (
        _by_httpx(url, routes)
        or bool(proxy_bypass_environment(urlsplit(url).netloc, {"no": no_proxy.lower()}))
        or bool(should_bypass_proxies(url, no_proxy.lower()))
    )


def httpx_routes() -> Routes | None:
    """Return the routes that httpx makes of the environment; None for a value that ends its client in an error."""
    try:
        routes = get_environment_proxies()
        for pattern in routes:
            URLPattern(pattern)
    except httpx.InvalidURL:
        return None
    return routes


def _by_httpx(url: str, routes: Routes | None) -> bool:
    if routes is None:
        return False
    patterns = sorted((URLPattern(pattern), proxy) for pattern, proxy in routes.items())
    found = [proxy for pattern, proxy in patterns if pattern.matches(httpx.URL(url))]
    return not found or found[0] is None
