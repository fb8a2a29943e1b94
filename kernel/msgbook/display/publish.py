"""A running turn as messages: one display for every client, and deltas for the pages that show it.

There are fewer than 25 messages a second, and fewer for a long turn: slow clients must keep up.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from msgbook.display.turn_view import copy_turn, delta
from msgbook.throttle import Throttle
from msgbook.turn import TurnRecord
from msgbook_format.turn import Turn, kind_of

Send = Callable[[str, dict[str, Any]], None]
"""Sends a message of a type (`display_data`, `update_display_data`) with its content."""

MIN_INTERVAL = 0.06
"""Least seconds between two bundles or two deltas; urgent changes need not wait. Slow clients lose messages above 25
a second, and `idle` with them."""

CHARS_PER_SECOND = 40_000
"""Limit of what bundles send. A bundle holds the whole text so far: at a fixed rate, the total
would grow with the square of the answer's length."""

LIVE_BUNDLE_INTERVAL = 0.5
"""Least seconds between two bundles while deltas carry the text."""

KEEP_INTERVAL = 0.5
"""Least seconds between two states of a turn that are kept on disk: a crash loses half a second of an answer."""

_KEPT_CHARS_PER_SECOND = 1_000_000
"""Limit of what is written to disk for one turn: the whole record each time, as for bundles."""

MAX_DELTA_INTERVAL = 0.25
"""Most seconds between two deltas: a reader still sees text flow at four a second."""
_DELTA_CHARS_PER_SECOND = 200_000
"""Length of a record that makes deltas a second rarer. The page renders the last block anew for each delta, which
takes longer the longer the answer is."""


class Pages(Protocol):
    """The open pages of the notebook."""

    @property
    def count(self) -> int:
        """Number of open pages."""
        ...

    def send(self, message: dict[str, Any]) -> None:
        """Send a message to all pages. The message may be changed afterwards."""
        ...


class TurnDisplay:
    """A `TurnView` that shows the record as one display output.

    Once a page shows the cell (`follow`), the pages get each change as a delta. The display then
    gets a MIME bundle only when a call is made, decided about or finished, and at the end. Such a
    bundle holds the state after the last delta, so a page may process them in any order.

    A client that names no cell gets `clear_output` and a new display at the end.

    Belongs to the event loop's thread.

    Args:
        bundle: Makes the MIME bundle of a turn.
        display_id: New for each turn: an update would change an earlier cell otherwise.
        writer: Returns the client session of the page that writes the turn into the document.
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
        self._is_followed = False
        self._sent_turn: Turn | None = None
        """The turn as the pages have it; None until it is sent for the first time."""
        self._seq = 0
        self._is_shown = False
        self._shown_states: list[str] = []
        """States of the calls in the last bundle."""
        self._urgent = (False, 0)
        """The state whose changes are urgent: whether the answer has begun, and the milestones."""
        self._bundles = Throttle(self._send_bundle, self._bundle_interval)
        self._deltas = Throttle(self._send_changes, self._delta_interval)
        self._keeps = Throttle(self._keep, self._keep_interval)
        self.keep: Callable[[Turn], None] = lambda _turn: None
        """Keeps a state of the turn until a page has saved it."""

    @property
    def is_followed(self) -> bool:
        """True once a page has shown the cell; also while that page is closed, as it may come back."""
        return self._is_followed

    def follow(self) -> None:
        """Send deltas to the pages from now on: one of them shows the cell."""
        self._is_followed = True

    @property
    def _is_live(self) -> bool:
        return self._is_followed and self._pages is not None and self._pages.count > 0

    def changed(self) -> None:
        """Show the record soon; an urgent change at once, unless there are too many."""
        self._keeps.schedule()
        urgent = (self._record.size > 0, self._record.milestones)
        if urgent != self._urgent and (self._pages is None or self._pages.count <= 2):
            self._urgent = urgent
            self._throttle.schedule_urgently()
        else:
            self._throttle.schedule()

    def show(self) -> None:
        """Show the record now."""
        self._throttle.run_now()

    @property
    def _throttle(self) -> Throttle:
        return self._deltas if self._is_live else self._bundles

    def finish(self) -> None:
        """Show the record now; it no longer changes."""
        self._keeps.run_now()
        self._deltas.cancel()
        self._bundles.cancel()
        if self._is_live:
            self._send_delta()
        self._sent_turn = copy_turn(self._record.snapshot())
        if self._is_shown and self.cell_id is None:
            # Most clients that name no cell ignore updates: send a new display in place of the first.
            self._send("clear_output", {"wait": True})
            self._is_shown = False
        self._send_bundle()

    def state(self) -> dict[str, Any]:
        """Return the content of a `turn` message, to which a page can apply the next delta."""
        if self._sent_turn is None:
            self._sent_turn = copy_turn(self._record.snapshot())
        state = {"display_id": self.display_id, "seq": self._seq, "turn": self._sent_turn}
        return state | {"writer": self._writer()}

    def _send_changes(self) -> None:
        self._send_delta()
        if self._sent_turn is not None and _call_states(self._sent_turn) != self._shown_states:
            self._bundles.schedule()

    def _send_delta(self) -> None:
        assert self._pages is not None  # noqa: S101 - `_is_live` is true
        if self._sent_turn is None:
            self._pages.send({"type": "turn", "cell_id": self.cell_id, **self.state()})
            return
        now = self._record.snapshot()
        ops = delta(self._sent_turn, now)
        if ops:
            self._seq += 1
            self._sent_turn = copy_turn(now)
            numbered = {"display_id": self.display_id, "seq": self._seq, "ops": ops}
            self._pages.send({"type": "turn.delta", **numbered})

    def _send_bundle(self) -> None:
        turn = self._sent_turn if self._is_live else None
        turn = turn or self._record.snapshot()
        content = {
            "data": self._bundle(turn),
            "metadata": {},
            "transient": {"display_id": self.display_id},
        }
        self._send("update_display_data" if self._is_shown else "display_data", content)
        self._is_shown = True
        self._shown_states = _call_states(turn)

    def _keep(self) -> None:
        self.keep(copy_turn(self._record.snapshot()))

    def _keep_interval(self) -> float:
        return max(KEEP_INTERVAL, self._record.size / _KEPT_CHARS_PER_SECOND)

    def _bundle_interval(self) -> float:
        least = LIVE_BUNDLE_INTERVAL if self._is_live else MIN_INTERVAL
        return max(least, self._record.size / CHARS_PER_SECOND)

    def _delta_interval(self) -> float:
        wanted = min(MAX_DELTA_INTERVAL, self._record.size / _DELTA_CHARS_PER_SECOND)
        return max(MIN_INTERVAL, wanted) * max(1, self._pages.count if self._pages else 1)


def _call_states(turn: Turn) -> list[str]:
    """Return the approvals of the turn's calls and the states of their results."""
    found = (block.get(kind_of(block).state) for block in turn["blocks"])
    return [str(state) for state in found if state]
