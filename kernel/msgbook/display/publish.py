"""A turn on the wire: one display, and deltas for the pages that show it live.

Neither comes oftener than a reader and a slow client can bear: fewer than 25 messages a second in
all, and fewer the longer the turn is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from msgbook.display.delta import delta, frozen
from msgbook.throttle import Throttle
from msgbook.turn.record import TurnRecord
from msgbook_format.turn import Turn

Send = Callable[[str, dict[str, Any]], None]
"""Sends a message of a type (`display_data`, `update_display_data`) with its content."""

MIN_INTERVAL = 0.06
"""Seconds between two bundles or two deltas, but for the few that do not wait."""

CHARS_PER_SECOND = 40_000
"""A bundle holds all text so far: the longer it is, the rarer, so that the total stays linear in
time and does not grow with the square of the answer."""

LANDMARK_INTERVAL = 0.5
"""Seconds between two bundles where deltas carry the text."""

MAX_DELTA_INTERVAL = 0.25
_DELTA_CHARS_PER_SECOND = 200_000


class Pages(Protocol):
    """The open pages of the notebook."""

    @property
    def count(self) -> int:
        """How many there are; a message is sent to each of them."""
        ...

    def send(self, message: dict[str, Any]) -> None:
        """Send a message to all of them. Does not keep it."""
        ...


class TurnDisplay:
    """Shows a record as one display output and keeps it up to date.

    Once a page shows the cell (`follow`), changes go to the pages as deltas, and the display gets
    whole bundles only where tool runs and questions begin and end, and at the end. A bundle then
    holds what the last delta led to, so that a page may take them in any order.

    For a client that names no cell, the end is `clear_output` and a fresh display.

    Belongs to the event loop's thread.

    Args:
        bundle: Makes the MIME bundle of a turn.
        display_id: Fresh for each turn; an update would land in an earlier cell otherwise.
        writer: Gives the client session of the page that writes the turn into the document.
    """

    def __init__(
        self,
        record: TurnRecord,
        bundle: Callable[[Turn], dict[str, Any]],
        send: Send,
        display_id: str,
        *,
        pages: Pages | None = None,
        cell_id: str | None = None,
        writer: Callable[[], str | None] = lambda: None,
    ) -> None:
        self.cell_id = cell_id
        self.display_id = display_id
        self._record = record
        self._bundle = bundle
        self._send = send
        self._pages = pages
        self._writer = writer
        self._followed = False
        self._told: Turn | None = None
        """What the pages know; None until they are told for the first time."""
        self._seq = 0
        self._shown = False
        self._landmarks: list[str] = []
        self._urgent = (False, 0)
        """What of the record must not wait: whether the answer has begun, and its milestones."""
        self._bundles = Throttle(self._show, self._bundle_interval)
        self._deltas = Throttle(self._tell_and_show, self._delta_interval)

    @property
    def is_followed(self) -> bool:
        """Whether a page has shown the cell, even if it is gone by now: it may come back."""
        return self._followed

    def follow(self) -> None:
        """From now on the pages are told of changes: one of them shows the cell."""
        self._followed = True

    @property
    def _live(self) -> bool:
        """Whether a page shows the turn as it grows."""
        return self._followed and self._pages is not None and self._pages.count > 0

    def changed(self) -> None:
        """Show the record soon; what somebody waits for, at once if that is not too often."""
        urgent = (self._record.size > 0, self._record.milestones)
        if urgent != self._urgent and (self._pages is None or self._pages.count <= 2):
            self._urgent = urgent
            self._throttle.schedule_urgently()
        else:
            self._throttle.schedule()

    def show(self) -> None:
        """Show the record now: something outside the turn will speak of it."""
        self._throttle.run_now()

    @property
    def _throttle(self) -> Throttle:
        return self._deltas if self._live else self._bundles

    def finish(self) -> None:
        """Show the record now; nothing follows."""
        self._deltas.cancel()
        self._bundles.cancel()
        if self._live:
            self._tell()
        self._told = frozen(self._record.snapshot())
        if self._shown and self.cell_id is None:
            # Clients that name no cell mostly ignore updates: a fresh display takes the first one's place.
            self._send("clear_output", {"wait": True})
            self._shown = False
        self._show()

    def state(self) -> dict[str, Any]:
        """What a page has to know to go on with the next delta: `display_id`, `seq`, `turn`, `writer`."""
        if self._told is None:
            self._told = frozen(self._record.snapshot())
        known = {"display_id": self.display_id, "seq": self._seq, "turn": self._told}
        return known | {"writer": self._writer()}

    def _tell_and_show(self) -> None:
        self._tell()
        if self._told is not None and _landmarks(self._told) != self._landmarks:
            self._bundles.schedule()

    def _tell(self) -> None:
        assert self._pages is not None  # noqa: S101 - what `_live` says
        if self._told is None:
            self._pages.send({"type": "turn", "cell_id": self.cell_id, **self.state()})
            return
        now = self._record.snapshot()
        ops = delta(self._told, now)
        if ops:
            self._seq += 1
            self._told = frozen(now)
            told = {"display_id": self.display_id, "seq": self._seq, "ops": ops}
            self._pages.send({"type": "turn.delta", **told})

    def _show(self) -> None:
        turn = self._told if self._live else None
        turn = turn or self._record.snapshot()
        content = {
            "data": self._bundle(turn),
            "metadata": {},
            "transient": {"display_id": self.display_id},
        }
        self._send("update_display_data" if self._shown else "display_data", content)
        self._shown = True
        self._landmarks = _landmarks(turn)

    def _bundle_interval(self) -> float:
        least = LANDMARK_INTERVAL if self._live else MIN_INTERVAL
        return max(least, self._record.size / CHARS_PER_SECOND)

    def _delta_interval(self) -> float:
        wanted = min(MAX_DELTA_INTERVAL, self._record.size / _DELTA_CHARS_PER_SECOND)
        return max(MIN_INTERVAL, wanted) * max(1, self._pages.count if self._pages else 1)


def _landmarks(turn: Turn) -> list[str]:
    """What has become of the turn's calls: it changes where tool runs and questions do."""
    keys = {"tool_call": "approval", "tool_result": "status"}
    found = (block.get(keys.get(block["type"], "")) for block in turn["blocks"])
    return [str(landmark) for landmark in found if landmark]
