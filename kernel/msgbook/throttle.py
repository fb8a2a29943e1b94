"""Something that is wanted often and done now and then."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

URGENT_PER_SECOND = 4
"""Runs that need not wait for the interval."""


class Throttle:
    """Runs an action at once, or when the interval since its last run is over.

    The timer always fires, so that the last wish is followed. Belongs to the event loop's thread.

    Args:
        interval: Seconds that have to pass after a run; asked for at each wish.
    """

    def __init__(self, action: Callable[[], None], interval: Callable[[], float]) -> None:
        self._action = action
        self._interval = interval
        self._loop = asyncio.get_running_loop()
        self._last: float | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._urgent: deque[float] = deque(maxlen=URGENT_PER_SECOND)

    def urge(self) -> None:
        """Have the action run now, unless that was wanted too often in the last second."""
        now = self._loop.time()
        if len(self._urgent) == URGENT_PER_SECOND and now < self._urgent[0] + 1:
            self.want()
            return
        self._urgent.append(now)
        self.run()

    def want(self) -> None:
        """Have the action run soon."""
        if self._timer is not None:
            return
        now = self._loop.time()
        due = now if self._last is None else self._last + self._interval()
        if now >= due:
            self.run()
        else:
            self._timer = self._loop.call_at(due, self.run)

    def run(self) -> None:
        """Run the action now; nothing wanted before is left to do."""
        self.cancel()
        self._action()
        self._last = self._loop.time()

    def cancel(self) -> None:
        """Forget what is wanted."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
