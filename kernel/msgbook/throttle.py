"""Actions that run at intervals, and pauses in work that always finds more to do."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator

URGENT_RUNS_PER_SECOND = 4
"""Urgent runs that need not wait for the interval."""


class Throttle:
    """Runs an action at once, or as soon as the interval since its last run is over.

    A timer makes sure that an action that was scheduled runs, even if nothing happens any more.
    Belongs to the event loop's thread.

    Args:
        interval: Returns the seconds that have to pass after a run; called for each `schedule`.
    """

    def __init__(self, action: Callable[[], None], interval: Callable[[], float]) -> None:
        self._action = action
        self._interval = interval
        self._loop = asyncio.get_running_loop()
        self._last_run: float | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._urgent_runs: deque[float] = deque(maxlen=URGENT_RUNS_PER_SECOND)

    def schedule(self) -> None:
        """Run the action once the interval is over."""
        if self._timer is not None:
            return
        now = self._loop.time()
        due = now if self._last_run is None else self._last_run + self._interval()
        if now >= due:
            self.run_now()
        else:
            self._timer = self._loop.call_at(due, self.run_now)

    def schedule_urgently(self) -> None:
        """Run the action now, unless it was urgent too often in the last second."""
        now = self._loop.time()
        if len(self._urgent_runs) == URGENT_RUNS_PER_SECOND and now < self._urgent_runs[0] + 1:
            self.schedule()
            return
        self._urgent_runs.append(now)
        self.run_now()

    def run_now(self) -> None:
        """Run the action now; a scheduled run is then no longer needed."""
        self.cancel()
        self._action()
        self._last_run = self._loop.time()

    def cancel(self) -> None:
        """Cancel the scheduled run."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


# Pauses in work that always finds more to do, so that an interrupt is not kept waiting.


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
