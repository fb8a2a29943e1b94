"""The HTTP client of the SDK: of `httpx` in openai 2.x, of `httpx2` in 3.x."""

from __future__ import annotations

import asyncio
import importlib
import os
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from functools import lru_cache, partial
from typing import Any

from msgbook.config import ORGANIZATION_HEADERS, parse_header_lines
from msgbook.network import Route, ignore_unusable_key_log
from msgbook.provider.base import MakeTransport, Wire
from msgbook.provider.charsets import CharsetError, recode
from msgbook.provider.compression import CompressionError, unpack

ERROR_BYTES = 65_536
"""Bytes that are read of an error's body, which a server may send without end."""

LIST_BYTES = 16_000_000
"""Bytes that are read of any other complete answer, such as a list of models."""

ERROR_SECONDS = 10.0
"""Most seconds that reading either may take: a person waits for it."""


class RedirectedError(Exception):
    """A server redirects a request to another origin."""


def import_sdk() -> Any:
    """Return the package `openai`. It takes part of a second, and reads the environment."""
    ignore_unusable_key_log()
    return importlib.import_module("openai")


def http_library(sdk: Any) -> Any:
    """Return the module with the classes of the SDK's HTTP client."""
    bases = sdk.DefaultAsyncHttpxClient.__mro__
    client = next(base for base in bases if base.__name__ == "AsyncClient")
    return sys.modules[client.__module__.partition(".")[0]]


def import_network(sdk: Any) -> None:
    """Import what the SDK's HTTP library itself imports with its first request. Nothing is sent."""
    asyncio.run(_fail_to_connect(http_library(sdk)))


async def _fail_to_connect(http: Any) -> None:
    async with http.AsyncClient(trust_env=False) as client:
        with suppress(http.RequestError):
            # No server has the port 0.
            await client.get("http://127.0.0.1:0")


def http_client(
    sdk: Any,
    route: Route | None,
    transport: MakeTransport | None = None,
    wire: Wire = Wire(),  # noqa: B008 - it holds nothing
) -> Any:
    """Return a client with the SDK's timeouts that reads a bounded part of an error or a list.

    It asks for uncompressed answers, and unpacks those that are compressed all the same.

    A redirect to another origin raises `RedirectedError`: keys, secret headers and conversations
    go only to the server that was configured.

    Args:
        route: To the server; None if a transport replaces the network.
        transport: Makes what replaces the network.
        wire: Records what is sent and answered.

    Raises:
        NetworkProblem: A variable of the environment that the route needs cannot be used.
    """
    http = http_library(sdk)
    options = route.client_options(http) if route is not None else {"trust_env": False}
    if transport is not None:
        options["transport"] = transport(http)
    return _client_class(sdk, wire)(
        headers={"Accept-Encoding": "identity"},
        event_hooks={"response": [_refuse_other_origin, partial(_read_plainly, http)]},
        **options,
    )


def _client_class(sdk: Any, wire: Wire) -> Any:
    class Client(sdk.DefaultAsyncHttpxClient):  # type: ignore[misc]  # one of two libraries
        """Client whose requests go over the wire."""

        async def send(self, request: Any, **options: Any) -> Any:
            return await wire.send(request, partial(super().send, request, **options))

    return Client


@lru_cache
def _head_class(http: Any) -> Any:
    class Head(http.AsyncByteStream):  # type: ignore[misc]  # one of two libraries
        """Beginning of a body."""

        def __init__(self, body: Any, limit: int) -> None:
            self._body, self._limit = body, limit

        async def __aiter__(self) -> AsyncIterator[bytes]:
            left, chunks = self._limit, aiter(self._body)
            ends = asyncio.get_running_loop().time() + ERROR_SECONDS
            try:
                while left > 0:
                    async with asyncio.timeout_at(ends):
                        chunk = await anext(chunks)
                    yield chunk[:left]
                    left -= len(chunk)
            except (StopAsyncIteration, TimeoutError):
                return

        async def aclose(self) -> None:
            await self._body.aclose()

    return Head


async def _refuse_other_origin(response: Any) -> None:
    if response.has_redirect_location:
        here = response.request.url
        there = here.join(response.headers["location"])
        if _origin(here) != _origin(there):
            words = f"{_origin(here)} redirects to {_origin(there)}, which is another origin"
            raise RedirectedError(words)


async def _read_plainly(http: Any, response: Any) -> None:
    """Let a response be read unpacked and in UTF-8, and of an error or a list a bounded part."""
    failed = response.status_code >= 400
    is_completion = not failed and response.request.method == "POST"
    unpack(http, response, layers=2 if is_completion else 1)
    recode(http, response)
    if is_completion:
        return  # it is read line by line
    limit = ERROR_BYTES if failed else LIST_BYTES
    response.stream = _head_class(http)(response.stream, limit)


def own_headers(sdk: Any, key: str, headers: Mapping[str, str]) -> dict[str, Any]:
    """Return a server's headers, with others that keep the SDK from sending what it reads in the environment.

    Args:
        key: The server's key.
        headers: Of the server.
    """
    named = parse_header_lines(os.environ.get("OPENAI_CUSTOM_HEADERS", ""))
    found: dict[str, Any] = {
        name: f"Bearer {key}" if name.lower() == "authorization" else sdk.Omit()
        for name in (*ORGANIZATION_HEADERS.values(), *named)
    }
    # The SDK replaces its own headers by those of the same name in the same case.
    spelled = {name.lower(): name for name in ORGANIZATION_HEADERS.values()}
    return {**found, **{spelled.get(name.lower(), name): value for name, value in headers.items()}}


def error_body(error: Any) -> object:
    """Return the JSON or the text of an HTTP error of the SDK, whose own `body` is the `error` value alone."""
    try:
        return error.response.json() if error.body is not None else None
    except (ValueError, RecursionError):
        return error.body


def is_transport_error(error: Exception) -> bool:
    """Return whether an error comes from the HTTP library or a refused redirect."""
    names = (
        "RequestError",
        "StreamError",
        "InvalidURL",
        RedirectedError.__name__,
        CompressionError.__name__,
        CharsetError.__name__,
    )
    return any(base.__name__ in names for base in type(error).__mro__)


_PORTS = {"http": 80, "https": 443}


def _origin(url: Any) -> str:
    """Return scheme, host and port of a URL of the HTTP library, without user and password."""
    host = f"[{url.host}]" if ":" in url.host else url.host
    port = url.port or _PORTS.get(url.scheme)
    return f"{url.scheme}://{host}" + (f":{port}" if port != _PORTS.get(url.scheme) else "")
