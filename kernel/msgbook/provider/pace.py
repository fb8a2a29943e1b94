"""The pace of the requests to a server: so many at once and in a minute, and none while it asks to wait."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, nullcontext

from msgbook.config import ProviderSettings

_MINUTE = 60.0

Sleep = Callable[[float], Awaitable[object]]


class Pace:
    """The pace of one server. All its requests share it, whichever conversation they are for.

    Args:
        per_minute: Most requests that begin in a minute; None for any number.
        parallel: Most requests at once; None for any number.
        clock: Returns seconds that only grow.
    """

    def __init__(
        self,
        per_minute: int | None = None,
        parallel: int | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._starts: deque[float] = deque(maxlen=per_minute or 0)
        self._free = asyncio.Semaphore(parallel) if parallel else nullcontext()
        self._clock = clock
        self._held_until = 0.0

    @asynccontextmanager
    async def request(self, sleep: Sleep, *, has_waited: bool) -> AsyncGenerator[None]:
        """Wait until a request may begin; it lasts as long as the context is open.

        Args:
            sleep: Waits some seconds, or until somebody ends the wait.
            has_waited: Whether the request itself has waited as long as the server asked for.
        """
        async with self._free:
            if wait := self._reserve():
                await sleep(wait)
            until = self._held_until if has_waited else 0.0
            while self._held_until > until:
                # Measured once for each wait, since the wait may be ended early.
                until = self._held_until
                if (wait := until - self._clock()) > 0:
                    await sleep(wait)
            yield

    def hold(self, seconds: float) -> None:
        """Let no other request begin for some seconds: the server has asked for that."""
        self._held_until = max(self._held_until, self._clock() + seconds)

    def _reserve(self) -> float:
        """Note when the next request begins; return the seconds until then."""
        now = self._clock()
        is_full = bool(self._starts) and len(self._starts) == self._starts.maxlen
        start = max(now, self._starts[0] + _MINUTE) if is_full else now
        self._starts.append(start)
        return start - now


class Paces:
    """The paces of all servers of a process, by the names of their providers."""

    def __init__(self) -> None:
        self._paces: dict[str, Pace] = {}

    def of(self, server: ProviderSettings | None) -> Pace:
        """Return the pace of a server; None stands for the demo model, which has no limits."""
        if server is None:
            return Pace()
        if server.name not in self._paces:
            self._paces[server.name] = Pace(server.requests_per_minute, server.max_parallel)
        return self._paces[server.name]
