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
        self._silent: dict[str, int] = {}
        """Number of the question since which a comm has sent nothing, by its id."""
        self._questions = 0
        self._open_questions: set[int] = set()
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
            self._silent.pop(comm.comm_id, None)
            is_new = comm.comm_id not in self._comms
            self._comms[comm.comm_id] = comm
            return is_new

    def remove(self, comm_id: str) -> None:
        """Remove a comm that was closed."""
        with self._lock:
            self._remove(comm_id)

    def begin_waiting(self) -> tuple[int, list[Any]]:
        """Return the number of a new question, and the comms that it is for, which are silent now.

        Comms that are silent since an earlier question are removed first, unless a question is
        open: they may still answer that one.
        """
        with self._lock:
            if not self._open_questions:
                self._remove_silent(self._questions)
            self._questions += 1
            self._open_questions.add(self._questions)
            for comm_id in self._comms:
                self._silent.setdefault(comm_id, self._questions)
            return self._questions, list(self._comms.values())

    def end_waiting(self, question: int, *, in_vain: bool) -> None:
        """End the wait for a question; after one in vain, remove the comms that are silent since then."""
        with self._lock:
            self._open_questions.discard(question)
            if in_vain:
                self._remove_silent(question)

    def revision(self, comm_id: str) -> str | None:
        """Return `KnownCells.revision`."""
        with self._lock:
            return self._known.revision(comm_id)

    def complete(self, comm_id: str, data: Mapping[str, Any]) -> Notebook | None:
        """Return `KnownCells.complete`."""
        with self._lock:
            return self._known.complete(comm_id, data)

    def _remove_silent(self, question: int) -> None:
        for comm_id, since in list(self._silent.items()):
            if since <= question:
                self._remove(comm_id)

    def _remove(self, comm_id: str) -> None:
        self._comms.pop(comm_id, None)
        self._silent.pop(comm_id, None)
        self._known.forget(comm_id)
