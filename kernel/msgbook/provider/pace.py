"""When a server is asked: so many at once and in a minute, none while it asks to wait, and waits that a person can end."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, nullcontext
from contextvars import ContextVar

from msgbook.config import ProviderSettings

SPACING = 0.25
"""Seconds between the requests that waited for a server: mostly enough to see whether it refuses one."""

_MINUTE = 60.0
"""Seconds over which `requests_per_minute` counts."""

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
        self._next_after_hold = 0.0
        """The moment from which another of the requests that waited may begin."""
        self._waits: dict[object, float] = {}

    @asynccontextmanager
    async def request(self, sleep: Sleep, *, waited_until: float) -> AsyncGenerator[None]:
        """Wait until a request may begin; it lasts as long as the context is open.

        Args:
            sleep: Waits some seconds, or until somebody ends the wait.
            waited_until: What `hold` returned, if the request itself was refused and has waited; else 0.
        """
        async with self._free:
            ended_early = self._clock() < waited_until
            if self._held_until or self._starts.maxlen:  # else nothing makes a request wait
                await self._wait_to_begin(sleep, self._held_until if ended_early else waited_until)
            yield

    async def _wait_to_begin(self, sleep: Sleep, passed: float) -> None:
        """Wait as long as the server has asked for, and then until it is this request's turn.

        Args:
            passed: The moment until which the request has waited already; 0 if it has not.
        """
        while True:
            while self._is_held(passed):
                # Measured once for each wait, since the wait may be ended early.
                passed = self._held_until
                await self._wait(sleep, passed - self._clock())
            async with self._next:
                if wait := self._until_next_start(after_hold=passed > 0):
                    await self._wait(sleep, wait)
                if not self._is_held(passed):
                    self._note_start(after_hold=passed > 0)
                    return

    def hold(self, seconds: float) -> float:
        """Let no other request begin for some seconds, and return the moment at which they end."""
        until = self._clock() + seconds
        self._held_until = max(self._held_until, until)
        self._next_after_hold = 0.0
        return until

    def _is_held(self, passed: float) -> bool:
        return self._held_until > max(passed, self._clock())

    async def _wait(self, sleep: Sleep, seconds: float) -> None:
        with self.waiting(seconds):
            await sleep(seconds)

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

    def _until_next_start(self, *, after_hold: bool) -> float:
        """Return the seconds until another request may begin.

        Args:
            after_hold: Whether the request has waited because the server asked for that.
        """
        begins = self._next_after_hold if after_hold else 0.0
        if self._starts and len(self._starts) == self._starts.maxlen:
            begins = max(begins, self._starts[0] + _MINUTE)
        return max(begins - self._clock(), 0.0)

    def _note_start(self, *, after_hold: bool) -> None:
        now = self._clock()
        self._starts.append(now)
        if after_hold:
            self._next_after_hold = now + SPACING


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


# The waits before a server is asked again, which a person can end.


_CELL: ContextVar[str | None] = ContextVar("CELL", default=None)
"""The cell whose turn waits. Tasks that the turn starts, such as those of its sub-agents, inherit it."""


class Waits:
    """Waits of all requests of one session.

    Args:
        sleep: Waits some seconds.
    """

    def __init__(self, sleep: Callable[[float], Awaitable[None]]) -> None:
        self._sleep = sleep
        self._open: dict[asyncio.Future[None], str | None] = {}

    def begin_turn(self, cell_id: str | None) -> None:
        """Note whose turn the running task begins."""
        _CELL.set(cell_id)

    async def sleep(self, seconds: float) -> bool:
        """Wait some seconds; return whether `end` was called meanwhile."""
        ended = asyncio.get_running_loop().create_future()
        sleeping = asyncio.ensure_future(self._sleep(seconds))
        self._open[ended] = _CELL.get()
        try:
            await asyncio.wait([ended, sleeping], return_when=asyncio.FIRST_COMPLETED)
            if not ended.done():
                await sleeping
            return ended.done()
        finally:
            del self._open[ended]
            sleeping.cancel()

    def end(self, cell_id: str | None) -> bool:
        """End the waits of the turn of a cell now; return whether there was one.

        Call it in the event loop's thread.
        """
        waiting = [wait for wait, cell in self._open.items() if cell == cell_id and not wait.done()]
        for wait in waiting:
            wait.set_result(None)
        return bool(waiting)
