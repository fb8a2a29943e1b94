"""The open comms: which of them are silent, and the last answer of each page."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Lock
from typing import Any

from msgbook.kernel.page.known_cells import KnownCells
from msgbook.notebook import Notebook


class OpenComms:
    """The comms that pages have opened. Each method is one atomic step, safe from any thread.

    So a comm is either removed because it was silent, or has sent a message, but never both.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._comms: dict[str, Any] = {}
        self._silent: set[str] = set()
        """Ids of the comms that have sent nothing since all of them were last asked."""
        self._known = KnownCells()

    def __len__(self) -> int:
        return len(self._comms)

    def snapshot(self) -> list[Any]:
        """Return the open comms, in the order in which they were added."""
        with self._lock:
            return list(self._comms.values())

    def note_message(self, comm: Any) -> bool:
        """Note that a comm was opened or has sent a message. Return whether it was added by that."""
        with self._lock:
            self._silent.discard(comm.comm_id)
            is_new = comm.comm_id not in self._comms
            self._comms[comm.comm_id] = comm
            return is_new

    def remove(self, comm_id: str) -> None:
        """Remove a comm that was closed."""
        with self._lock:
            self._remove(comm_id)

    def begin_waiting(self) -> list[Any]:
        """Remove the comms that are still silent; mark the others as silent, and return them."""
        with self._lock:
            self._remove_silent()
            self._silent = set(self._comms)
            return list(self._comms.values())

    def remove_silent(self) -> None:
        """Remove the comms that have sent nothing since `begin_waiting`."""
        with self._lock:
            self._remove_silent()

    def revision(self, comm_id: str) -> str | None:
        """Return `KnownCells.revision`."""
        with self._lock:
            return self._known.revision(comm_id)

    def complete(self, comm_id: str, data: Mapping[str, Any]) -> Notebook | None:
        """Return `KnownCells.complete`."""
        with self._lock:
            return self._known.complete(comm_id, data)

    def _remove_silent(self) -> None:
        for comm_id in list(self._silent):
            self._remove(comm_id)

    def _remove(self, comm_id: str) -> None:
        self._comms.pop(comm_id, None)
        self._silent.discard(comm_id)
        self._known.forget(comm_id)
