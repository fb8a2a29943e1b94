"""The comms that are open, which of them keep silent, and what each page last answered."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Lock
from typing import Any

from msgbook.kernel.page.known_cells import KnownCells
from msgbook.notebook.transcript import Notebook


class OpenComms:
    """May be used from any thread: each method is one step, and sends nothing.

    So a comm is dropped for its silence, or has spoken, and never both at once.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._comms: dict[str, Any] = {}
        self._silent: set[str] = set()
        """Ids of the comms on which nothing has come since all were last asked."""
        self._known = KnownCells()

    def __len__(self) -> int:
        return len(self._comms)

    def all(self) -> list[Any]:
        """The comms as they are now, in the order in which they came."""
        with self._lock:
            return list(self._comms.values())

    def heard(self, comm: Any) -> bool:
        """Note that a comm was opened or has spoken; whether it was not among these before."""
        with self._lock:
            self._silent.discard(comm.comm_id)
            is_new = comm.comm_id not in self._comms
            self._comms[comm.comm_id] = comm
            return is_new

    def closed(self, comm_id: str) -> None:
        """Drop a comm."""
        with self._lock:
            self._drop(comm_id)

    def begin_waiting(self) -> list[Any]:
        """Drop those that are silent still, and take the rest, which is given, for silent."""
        with self._lock:
            self._drop_silent()
            self._silent = set(self._comms)
            return list(self._comms.values())

    def drop_silent(self) -> None:
        """Drop those that have not spoken since the waiting began."""
        with self._lock:
            self._drop_silent()

    def revision(self, comm_id: str) -> str | None:
        """As `KnownCells.revision`."""
        with self._lock:
            return self._known.revision(comm_id)

    def take(self, comm_id: str, data: Mapping[str, Any]) -> Notebook | None:
        """As `KnownCells.take`."""
        with self._lock:
            return self._known.take(comm_id, data)

    def _drop_silent(self) -> None:
        for comm_id in list(self._silent):
            self._drop(comm_id)

    def _drop(self, comm_id: str) -> None:
        self._comms.pop(comm_id, None)
        self._silent.discard(comm_id)
        self._known.forget(comm_id)
