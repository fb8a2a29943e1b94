"""A turn on the wire: one display, updated no oftener than a reader and a slow client can bear."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from msgbook.output.record import TurnRecord

Send = Callable[[str, dict[str, Any]], None]
"""Sends a message of a type (`display_data`, `update_display_data`) with its content."""

MIN_INTERVAL = 0.05
"""Seconds between two bundles; keeps a turn below 25 messages a second."""

CHARS_PER_SECOND = 40_000
"""A bundle holds all text so far: the longer it is, the rarer, so that the total stays linear in
time and does not grow with the square of the answer."""


class TurnDisplay:
    """Shows a record as one display output and keeps it up to date.

    Changes are gathered: the first shows at once, the others when the interval is over, by a timer
    that always fires after the last one. Belongs to the event loop's thread.

    Args:
        bundle: Makes the MIME bundle of the record as it stands.
        display_id: Fresh for each turn; an update would land in an earlier cell otherwise.
    """

    def __init__(
        self,
        record: TurnRecord,
        bundle: Callable[[], dict[str, Any]],
        send: Send,
        display_id: str,
    ) -> None:
        self._record = record
        self._bundle = bundle
        self._send = send
        self._display_id = display_id
        self._loop = asyncio.get_running_loop()
        self._shown = False
        self._last = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def changed(self) -> None:
        """Show the record soon."""
        if self._timer is not None:
            return
        due = self._last + self._interval() if self._shown else 0.0
        if self._loop.time() >= due:
            self._show()
        else:
            self._timer = self._loop.call_at(due, self._show)

    def finish(self) -> None:
        """Show the record now; nothing follows."""
        self._show()

    def _interval(self) -> float:
        return max(MIN_INTERVAL, self._record.size / CHARS_PER_SECOND)

    def _show(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        content = {
            "data": self._bundle(),
            "metadata": {},
            "transient": {"display_id": self._display_id},
        }
        self._send("update_display_data" if self._shown else "display_data", content)
        self._shown = True
        self._last = self._loop.time()
