"""The pace of the requests to a server: so many at once and in a minute, and none while it asks to wait."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, nullcontext

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
        self._next = asyncio.Lock()
        """Held by the next request to begin: one that is given up leaves no place behind."""
        self._free = asyncio.Semaphore(parallel) if parallel else nullcontext()
        self._clock = clock
        self._held_until = 0.0
        self._waits: dict[object, float] = {}

    @asynccontextmanager
    async def request(self, sleep: Sleep, *, has_waited: bool) -> AsyncGenerator[None]:
        """Wait until a request may begin; it lasts as long as the context is open.

        Args:
            sleep: Waits some seconds, or until somebody ends the wait.
            has_waited: Whether the request itself has waited as long as the server asked for.
        """
        async with self._free:
            passed = self._held_until if has_waited else 0.0
            passed = await self._wait_while_held(sleep, passed)
            async with self._next:
                if wait := self._until_next_start():
                    with self.waiting(wait):
                        await sleep(wait)
                await self._wait_while_held(sleep, passed)
                self._starts.append(self._clock())
            yield

    async def _wait_while_held(self, sleep: Sleep, passed: float) -> float:
        """Wait as long as the server has asked for; return the moment until which it had asked.

        Args:
            passed: The moment until which the request has waited already.
        """
        while self._held_until > passed:
            # Measured once for each wait, since the wait may be ended early.
            passed = self._held_until
            if (wait := passed - self._clock()) > 0:
                with self.waiting(wait):
                    await sleep(wait)
        return passed

    def hold(self, seconds: float) -> None:
        """Let no other request begin for some seconds: the server has asked for that."""
        self._held_until = max(self._held_until, self._clock() + seconds)

    @contextmanager
    def waiting(self, seconds: float) -> Iterator[None]:
        """Count a request among those that wait; it waits for so long, unless somebody ends the wait."""
        wait = object()
        self._waits[wait] = self._clock() + seconds
        try:
            yield
        finally:
            del self._waits[wait]

    def shortest_wait(self) -> float | None:
        """Return the seconds until the first of the waiting requests goes on; None if none waits."""
        return max(min(self._waits.values()) - self._clock(), 0.0) if self._waits else None

    def _until_next_start(self) -> float:
        """Return the seconds until another request may begin in this minute."""
        if not self._starts or len(self._starts) != self._starts.maxlen:
            return 0.0
        return max(self._starts[0] + _MINUTE - self._clock(), 0.0)


class Paces:
    """The paces of all servers of a process, by the names of their providers.

    Args:
        clock: Returns seconds that only grow.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._paces: dict[str, Pace] = {}
        self._clock = clock

    def of(self, server: ProviderSettings | None) -> Pace:
        """Return the pace of a server; None stands for the demo model, which has no limits."""
        if server is None:
            return Pace()
        if server.name not in self._paces:
            self._paces[server.name] = Pace(
                server.requests_per_minute, server.max_parallel, self._clock
            )
        return self._paces[server.name]

    def shortest_waits(self) -> dict[str, float]:
        """Return the seconds until the next request, of each server for which requests wait."""
        waits = {name: pace.shortest_wait() for name, pace in self._paces.items()}
        return {name: wait for name, wait in waits.items() if wait is not None}
