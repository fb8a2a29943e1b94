"""The wire between the SDK's HTTP client and the network. A cassette listens to it, or takes its place."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

MakeTransport = Callable[[Any], Any]
"""Makes a replacement of the network from the HTTP library that the SDK uses (`httpx` or `httpx2`)."""


class Wire:
    """The network as it is."""

    is_cassette = False
    """True if requests that go another way would be missed."""

    def transport(self, wanted: MakeTransport | None) -> MakeTransport | None:
        """Return what replaces the network; None for the network itself.

        Args:
            wanted: The provider's own transport.
        """
        return wanted

    async def send(self, request: Any, send: Callable[[], Awaitable[Any]]) -> Any:
        """Return the response to a request of the HTTP library, whose body may not have been read yet."""
        return await send()
