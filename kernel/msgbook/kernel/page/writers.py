"""Which page writes each turn into a document that several pages share (docs/protocol.md)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from threading import RLock
from typing import Any

from msgbook.kernel.page.page_comms import PageComms

PATIENCE = 3.0
"""Seconds in which a writer has to answer where another page could take its place."""


@dataclass
class _Written:
    cell_id: str
    client: str | None
    """Client session of the page; None while none is known that could write."""
    heard: bool = True
    """Whether the page has answered since it was last asked."""

    def message(self, display_id: str) -> dict[str, Any]:
        """The `turn.writer` that tells of it."""
        about = {"display_id": display_id, "cell_id": self.cell_id}
        return {"type": "turn.writer", **about, "writer": self.client}


class Writers:
    """Names one page for each turn: the one that runs the cell, while it answers.

    When that one is gone, the first page that offers itself takes over. `begin` belongs to an event
    loop, on which the writers are looked after; pages speak on their comms' threads.
    """

    def __init__(self, pages: PageComms) -> None:
        self._pages = pages
        self._lock = RLock()
        """Held while pages are told, too: what is decided last is what they hear last."""
        self._turns: dict[str, _Written] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._timer: asyncio.TimerHandle | None = None
        pages.handle("turn.writing", self._offered)
        pages.greet(self._greet)
        pages.when_closed(self._closed)

    def begin(self, display_id: str, cell_id: str, client: str | None) -> None:
        """A turn begins.

        Args:
            client: Client session of the request that runs it.
        """
        with self._lock:
            self._turns[display_id] = _Written(cell_id, client)
        self._loop = asyncio.get_running_loop()
        self._watch()

    def end(self, display_id: str) -> None:
        """The turn stands in the document, or nobody wants it there any more."""
        with self._lock:
            self._turns.pop(display_id, None)

    def of(self, display_id: str) -> str | None:
        """Return the client session of the page that writes a turn; None while there is none."""
        turn = self._turns.get(display_id)
        return turn.client if turn is not None else None

    def check(self) -> None:
        """Give up the writers that have not answered since the last time, and ask all again."""
        with self._lock:
            clients = self._pages.clients
            for display_id, turn in list(self._turns.items()):
                alone = turn.client is not None and clients == {turn.client}
                if not turn.heard and not alone:
                    turn.client = None
                turn.heard = alone
                if not alone:
                    self._pages.send(turn.message(display_id))

    def _watch(self) -> None:
        if self._timer is None and self._loop is not None:
            self._timer = self._loop.call_later(PATIENCE, self._tick)

    def _tick(self) -> None:
        self._timer = None
        self.check()
        if self._turns and self._pages.connected:
            self._watch()

    def _greet(self, comm: Any) -> None:
        with self._lock:
            for display_id, turn in list(self._turns.items()):
                comm.send(turn.message(display_id))
        if self._turns and self._loop is not None:
            self._loop.call_soon_threadsafe(self._watch)

    def _closed(self) -> None:
        with self._lock:
            clients = self._pages.clients
            for display_id, turn in list(self._turns.items()):
                if turn.client is not None and turn.client not in clients:
                    turn.client = None
                    self._pages.send(turn.message(display_id))

    def _offered(self, comm: Any, data: dict[str, Any]) -> None:
        display_id, client = data.get("display_id"), self._pages.client(comm)
        with self._lock:
            turn = self._turns.get(display_id) if isinstance(display_id, str) else None
            if turn is None or client is None:
                return
            is_new = turn.client is None
            if is_new:
                turn.client = client
            turn.heard = turn.heard or turn.client == client
            if is_new:
                self._pages.send(turn.message(str(display_id)))
