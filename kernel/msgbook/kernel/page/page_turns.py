"""The turns that a page may have missed: those that run, and those that no page has stored yet."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Iterable
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any

from msgbook.kernel.page.kept_turns import KeptTurns
from msgbook.kernel.page.page_comms import PageComms
from msgbook.kernel.page.writers import Writers

if TYPE_CHECKING:
    from msgbook.display.publish import TurnDisplay

_NO_TURN = {"display_id": None, "seq": 0, "turn": None, "writer": None}


class PageTurns:
    """Sends turns to each page that opens, and answers `turn.get`.

    An ended turn is kept until a page says that it is safe in its notebook (`turn.seen`). After that,
    the user may clear the output, and the turn does not come back. It is kept on disk, too, and those
    that an earlier kernel of the notebook left there are sent as well.

    Messages arrive on a comm's thread; a running turn's display is only read on its event loop.
    """

    def __init__(self, pages: PageComms, kept: KeptTurns) -> None:
        self._kept = kept
        self._recovering, self._is_recovered = Lock(), False
        # Before the writers: they name the page that writes what is found.
        pages.on_open(self._recover)
        self._running: dict[str, tuple[TurnDisplay, asyncio.AbstractEventLoop]] = {}
        self._ended: dict[str, dict[str, Any]] = {}
        """State of the turns that no page has stored yet, by cell id."""
        self._writers = Writers(pages)
        pages.on_message("turn.get", self._send_requested)
        pages.on_message("turn.seen", self._drop_seen)
        pages.on_open(self._send_all)

    def writer_of(self, display_id: str) -> str | None:
        """Return `Writers.writer_of`."""
        return self._writers.writer_of(display_id)

    def start(self, display: TurnDisplay, client_session: str | None = None) -> None:
        """Add a turn that starts, in place of the last turn of its cell.

        Args:
            client_session: Session of the client that runs the cell.
        """
        if display.cell_id is not None:
            self._drop(display.cell_id)
            display.keep = partial(self._kept.put, display.cell_id)
            self._running[display.cell_id] = (display, asyncio.get_running_loop())
            self._writers.start(display.display_id, display.cell_id, client_session)

    def end(self, display: TurnDisplay) -> None:
        """Keep a turn that has ended; its display has shown the end."""
        if display.cell_id is not None:
            # With subshells, a client may run one cell twice at the same time.
            self._forget(display.cell_id)
            self._ended[display.cell_id] = display.state()
            self._running.pop(display.cell_id, None)

    def forget(self, cell_ids: Iterable[Any]) -> None:
        """Drop the turns of cells that no longer have one. Unknown ids are ignored."""
        for cell_id in cell_ids:
            if isinstance(cell_id, str):
                self._drop(cell_id)

    def _send_all(self, comm: Any) -> None:
        """Send all turns: a page cannot see that its cell was run again while it was closed."""
        # Listed first: a turn that ends meanwhile is sent twice rather than not at all.
        running = list(self._running.items())
        for cell_id, state in list(self._ended.items()):
            comm.send({"type": "turn", "cell_id": cell_id, **self._with_writer(state)})
        for cell_id, (display, loop) in running:
            loop.call_soon_threadsafe(_send_running, comm, {"cell_id": cell_id}, display)

    def _send_requested(self, comm: Any, data: dict[str, Any]) -> None:
        cell_id = data.get("cell_id")
        reply_to = {"request_id": data.get("request_id"), "cell_id": cell_id}
        running = self._running.get(cell_id) if isinstance(cell_id, str) else None
        if running is not None:
            display, loop = running
            loop.call_soon_threadsafe(_send_running, comm, reply_to, display)
        else:
            state = self._ended.get(str(cell_id))
            turn = self._with_writer(state) if state else _NO_TURN
            comm.send({"type": "turn", **reply_to, **turn})

    def _drop_seen(self, _comm: Any, data: dict[str, Any]) -> None:
        display_id = data.get("display_id")
        for cell_id, state in list(self._ended.items()):
            if state["display_id"] == display_id:
                self._drop(cell_id)

    def _with_writer(self, state: dict[str, Any]) -> dict[str, Any]:
        return state | {"writer": self.writer_of(state["display_id"])}

    def _recover(self, _comm: Any) -> None:
        """Take over what earlier kernels of the notebook have kept, once."""
        with self._recovering:
            if self._is_recovered:
                return
            self._is_recovered = True
            for cell_id, turn in self._kept.take_over().items():
                if cell_id not in self._running and cell_id not in self._ended:
                    display_id = uuid.uuid4().hex
                    state = {"display_id": display_id, "seq": 0, "turn": turn}
                    self._ended[cell_id] = state | {"recovered": True}
                    self._writers.offer(display_id, cell_id)

    def _drop(self, cell_id: str) -> None:
        self._kept.drop(cell_id)
        self._forget(cell_id)

    def _forget(self, cell_id: str) -> None:
        state = self._ended.pop(cell_id, None)
        if state is not None:
            self._writers.end(state["display_id"])


def _send_running(comm: Any, keys: dict[str, Any], display: TurnDisplay) -> None:
    """Send a running turn to a page, with further keys, and then its changes to all pages."""
    display.follow()
    comm.send({"type": "turn", **keys, **display.state()})
