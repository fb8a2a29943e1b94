"""The way from an HTTP client to one server."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from msgbook.network.certificates import NetworkProblem, describe_trust, plain_context, tls_context
from msgbook.network.proxies import Proxy, check_proxy, describe_route, find_proxy
from msgbook.text import one_line, visible

_UNTRUSTED = "CERTIFICATE_VERIFY_FAILED"
"""In OpenSSL's words for a certificate that nobody vouches for."""


@dataclass(frozen=True, slots=True)
class Route:
    """The route to a server: direct, or through a proxy."""

    url: str
    proxy: Proxy | None = None

    @property
    def is_encrypted(self) -> bool:
        """True if it needs certificates: those of the server, of the proxy, or of both."""
        to_proxy = self.proxy is not None and self.proxy.scheme == "https"
        return to_proxy or self.url.lower().startswith("https:")

    def client_options(self, http: Any) -> dict[str, Any]:
        """Return the arguments of an HTTP client that takes this route, and reads no variable by itself.

        Args:
            http: The HTTP library.

        Raises:
            NetworkProblem: A variable that this route needs cannot be used.
        """
        proxy = self.proxy
        if proxy is not None:
            check_proxy(proxy)
        context = tls_context(http, os.environ) if self.is_encrypted else plain_context()
        options = {"trust_env": False, "verify": context}
        if proxy is not None:
            options["proxy"] = _proxy(http, proxy, context if proxy.scheme == "https" else None)
        return options

    def advice(self, why: str = "") -> str:
        """Return what to do about a failure that this route may have caused; empty if it cannot have.

        Args:
            why: The library's words for the failure.
        """
        trust = describe_trust(os.environ) if is_untrusted(why) else ""
        through = describe_route(self.proxy, self.url, os.environ) if self.proxy else ""
        return " ".join(filter(None, (trust, through)))


def find_route(url: str, environ: Mapping[str, str] | None = None) -> Route:
    """Return the route to a URL.

    Args:
        environ: The environment; by default the process's own.
    """
    return Route(url, find_proxy(url, os.environ if environ is None else environ))


def is_untrusted(why: str) -> bool:
    """Return whether a connection failed because the server's certificate is not trusted."""
    return _UNTRUSTED in why


def _proxy(http: Any, proxy: Proxy, context: Any) -> Any:
    try:
        made = http.Proxy(proxy.url, ssl_context=context)
        _ = made.raw_auth  # fails with a password that no header can carry
    except Exception as error:  # each version of the library raises others
        why = visible(one_line(type(error).__name__))
        words = (
            f"{proxy.origin} ({proxy.shown}) cannot be used: it is not the URL of a proxy ({why})."
        )
        raise NetworkProblem(proxy.variable, words, f"Correct or unset {proxy.origin}.") from None
    return made
