"""The page that writes each turn into a document that several pages share (docs/protocol.md)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from threading import RLock
from typing import Any

from msgbook.kernel.page.page_comms import PageComms

WRITER_TIMEOUT = 3.0
"""Seconds in which a writer has to answer, if another page could take its place."""


@dataclass
class _WrittenTurn:
    cell_id: str
    writer: str | None
    """Client session of the page that writes; None while there is no such page."""
    has_answered: bool = True
    """Whether the page has answered since it was last asked."""

    def message(self, display_id: str) -> dict[str, Any]:
        """Return the `turn.writer` message."""
        about = {"display_id": display_id, "cell_id": self.cell_id}
        return {"type": "turn.writer", **about, "writer": self.writer}


class Writers:
    """Names one page for each turn: the one that runs the cell, as long as it answers.

    When that page is gone, the first page that offers itself takes over. `start` belongs to an event
    loop's thread, which then checks the writers; messages arrive on the comms' threads.
    """

    def __init__(self, pages: PageComms) -> None:
        self._pages = pages
        self._lock = RLock()
        """Also held while messages are sent: the pages get them in the order of the decisions."""
        self._turns: dict[str, _WrittenTurn] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._timer: asyncio.TimerHandle | None = None
        pages.on_message("turn.writing", self._take_offer)
        pages.on_open(self._send_all)
        pages.on_close(self._drop_closed)

    def start(self, display_id: str, cell_id: str, client_session: str | None) -> None:
        """Name the writer of a turn that starts.

        Args:
            client_session: Session of the client that runs the cell.
        """
        with self._lock:
            self._turns[display_id] = _WrittenTurn(cell_id, client_session)
        self._loop = asyncio.get_running_loop()
        self._watch()

    def offer(self, display_id: str, cell_id: str) -> None:
        """Let the first page that offers itself write a turn that has ended."""
        with self._lock:
            self._turns[display_id] = _WrittenTurn(cell_id, None)

    def end(self, display_id: str) -> None:
        """Forget a turn that is in the document, or no longer belongs there."""
        with self._lock:
            self._turns.pop(display_id, None)

    def writer_of(self, display_id: str) -> str | None:
        """Return the client session of the page that writes a turn; None while there is none."""
        turn = self._turns.get(display_id)
        return turn.writer if turn is not None else None

    def check(self) -> None:
        """Drop the writers that have not answered since the last check, and ask all of them again."""
        with self._lock:
            sessions = self._pages.client_sessions
            for display_id, turn in list(self._turns.items()):
                is_alone = turn.writer is not None and sessions == {turn.writer}
                if not turn.has_answered and not is_alone:
                    turn.writer = None
                turn.has_answered = is_alone
                if not is_alone:
                    self._pages.send(turn.message(display_id))

    def _watch(self) -> None:
        if self._timer is None and self._loop is not None:
            self._timer = self._loop.call_later(WRITER_TIMEOUT, self._tick)

    def _tick(self) -> None:
        self._timer = None
        self.check()
        if self._turns and self._pages.is_connected:
            self._watch()

    def _send_all(self, comm: Any) -> None:
        with self._lock:
            for display_id, turn in list(self._turns.items()):
                comm.send(turn.message(display_id))
        if self._turns and self._loop is not None:
            self._loop.call_soon_threadsafe(self._watch)

    def _drop_closed(self) -> None:
        with self._lock:
            sessions = self._pages.client_sessions
            for display_id, turn in list(self._turns.items()):
                if turn.writer is not None and turn.writer not in sessions:
                    turn.writer = None
                    self._pages.send(turn.message(display_id))

    def _take_offer(self, comm: Any, data: dict[str, Any]) -> None:
        display_id, session = data.get("display_id"), self._pages.client_session(comm)
        with self._lock:
            turn = self._turns.get(display_id) if isinstance(display_id, str) else None
            if turn is None or session is None:
                return
            is_new_writer = turn.writer is None
            if is_new_writer:
                turn.writer = session
            turn.has_answered = turn.has_answered or turn.writer == session
            if is_new_writer:
                self._pages.send(turn.message(str(display_id)))
