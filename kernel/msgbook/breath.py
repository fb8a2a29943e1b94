"""Pauses in work that always finds more to do, so that an interrupt is not kept waiting."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

SLICE = 4096
"""Bytes, or 50 events of a stream, that are read in about 5 ms at the slowest."""


class Breath:
    """Lets the event loop run after each portion of work.

    A server that sends faster than it is read never makes its reader wait. Counts and no clock, so
    that the same stream pauses at the same places.
    """

    def __init__(self, portion: int) -> None:
        self._portion = portion
        self._done = 0

    async def spend(self, amount: int = 1) -> None:
        """Count work that is done, and pause if it was enough."""
        self._done += amount
        if self._done >= self._portion:
            self._done = 0
            await asyncio.sleep(0)


def sliced(chunk: bytes) -> Iterator[bytes]:
    """Yield a chunk in pieces of at most `SLICE` bytes."""
    if len(chunk) <= SLICE:
        yield chunk
        return
    for start in range(0, len(chunk), SLICE):
        yield chunk[start : start + SLICE]
