"""NO_PROXY as httpx, Python and requests read it: what one of them exempts is exempt, and little else.

tests/integration/network/test_no_proxy_of_curl.py asks curl.
"""

from __future__ import annotations

import pytest
from no_proxy_forms import OURS, SHAPES, URLS, exempt_for_others, forms, httpx_routes

from msgbook.network.proxies import is_exempt


@pytest.fixture
def routes_for(monkeypatch):
    """Return httpx's routes where NO_PROXY has a value."""
    for name in ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "HTTP_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:3128")

    def routes(value):
        monkeypatch.setenv("no_proxy", value)
        return httpx_routes()

    return routes


@pytest.mark.parametrize("shape", [*SHAPES, "others"])
def test_what_other_libraries_exempt_is_exempt_and_only_known_forms_exempt_more(routes_for, shape):
    for form, value in forms():
        if shape not in (form, "others" if form not in SHAPES else form):
            continue
        routes = routes_for(value)
        for url in URLS:
            by_others = exempt_for_others(url, value, routes)
            if by_others:
                assert is_exempt(url, value), (url, value)
            elif form not in OURS:
                assert not is_exempt(url, value), (url, value)
