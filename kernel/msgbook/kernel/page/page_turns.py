"""The turns that a page may have missed: the one that runs, and those that it has not kept yet."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from msgbook.kernel.page.page_comms import PageComms
from msgbook.kernel.page.writers import Writers

if TYPE_CHECKING:
    from msgbook.display.publish import TurnDisplay

_NOTHING = {"display_id": None, "seq": 0, "turn": None, "writer": None}


class Deliveries:
    """Tells a page that opens of them, and answers `turn.get`.

    A finished turn is delivered until a page says that it stands in its notebook (`turn.seen`):
    one whose output the user cleared afterwards does not come back. Requests come on a comm's
    thread; a turn that runs is looked at on its event loop.
    """

    def __init__(self, pages: PageComms) -> None:
        self._running: dict[str, tuple[TurnDisplay, asyncio.AbstractEventLoop]] = {}
        self._unseen: dict[str, dict[str, Any]] = {}
        self._writers = Writers(pages)
        pages.handle("turn.get", self._get)
        pages.handle("turn.seen", self._seen)
        pages.greet(self._announce)

    def writer(self, display_id: str) -> str | None:
        """As `Writers.of`."""
        return self._writers.of(display_id)

    def begin(self, display: TurnDisplay, client: str | None = None) -> None:
        """A turn runs from now on; what its cell showed before is over.

        Args:
            client: Client session of the request that runs it.
        """
        if display.cell_id is not None:
            self._drop(display.cell_id)
            self._running[display.cell_id] = (display, asyncio.get_running_loop())
            self._writers.begin(display.display_id, display.cell_id, client)

    def end(self, display: TurnDisplay) -> None:
        """The turn has ended, and its display has shown that."""
        if display.cell_id is not None:
            # A client may run one cell twice at once, on subshells.
            self._drop(display.cell_id)
            self._unseen[display.cell_id] = display.state()
            self._running.pop(display.cell_id, None)

    def forget(self, cell_ids: Iterable[Any]) -> None:
        """These cells hold no turn any more; unknown ids are none of ours."""
        for cell_id in cell_ids:
            if isinstance(cell_id, str):
                self._drop(cell_id)

    def _announce(self, comm: Any) -> None:
        """Tell of all: a page cannot see that a cell with a turn was run again without it."""
        # Before the others: one that ends meanwhile is told of twice, and not missed.
        running = list(self._running.items())
        for cell_id, state in list(self._unseen.items()):
            comm.send({"type": "turn", "cell_id": cell_id, **self._now(state)})
        for cell_id, (display, loop) in running:
            loop.call_soon_threadsafe(_tell, comm, {"cell_id": cell_id}, display)

    def _get(self, comm: Any, data: dict[str, Any]) -> None:
        cell_id = data.get("cell_id")
        asked = {"request_id": data.get("request_id"), "cell_id": cell_id}
        running = self._running.get(cell_id) if isinstance(cell_id, str) else None
        if running is not None:
            display, loop = running
            loop.call_soon_threadsafe(_tell, comm, asked, display)
        else:
            state = self._unseen.get(str(cell_id))
            comm.send({"type": "turn", **asked, **(self._now(state) if state else _NOTHING)})

    def _seen(self, _comm: Any, data: dict[str, Any]) -> None:
        display_id = data.get("display_id")
        for cell_id, state in list(self._unseen.items()):
            if state["display_id"] == display_id:
                self._drop(cell_id)

    def _now(self, state: dict[str, Any]) -> dict[str, Any]:
        return state | {"writer": self.writer(state["display_id"])}

    def _drop(self, cell_id: str) -> None:
        state = self._unseen.pop(cell_id, None)
        if state is not None:
            self._writers.end(state["display_id"])


def _tell(comm: Any, about: dict[str, Any], display: TurnDisplay) -> None:
    """Tell a page of a turn that runs, and from now on of its changes."""
    display.follow()
    comm.send({"type": "turn", **about, **display.state()})
