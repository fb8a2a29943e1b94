"""The waits before a server is asked again, which a person can end."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable


class Waits:
    """Waits of all requests of one session.

    Args:
        sleep: Waits some seconds.
    """

    def __init__(self, sleep: Callable[[float], Awaitable[None]]) -> None:
        self._sleep = sleep
        self._open: set[asyncio.Future[None]] = set()

    async def sleep(self, seconds: float) -> bool:
        """Wait some seconds; return whether `end` was called meanwhile."""
        ended = asyncio.get_running_loop().create_future()
        sleeping = asyncio.ensure_future(self._sleep(seconds))
        self._open.add(ended)
        try:
            await asyncio.wait([ended, sleeping], return_when=asyncio.FIRST_COMPLETED)
            if not ended.done():
                await sleeping
            return ended.done()
        finally:
            self._open.discard(ended)
            sleeping.cancel()

    def end(self) -> bool:
        """End all waits now; return whether there was one. Call it in the event loop's thread."""
        waiting = [wait for wait in self._open if not wait.done()]
        for wait in waiting:
            wait.set_result(None)
        return bool(waiting)
