"""One question for cells that is sent to several pages (docs/protocol.md, `cells.get`)."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence, Set
from typing import Any

from msgbook.notebook import Notebook


class CellsQuestion:
    """Waits for the first answer with cells, or until all pages have answered without any.

    Args:
        cell_id: The running cell; None to ask for all cells, without their outputs.
        comms: The comms that are asked.
        own: Ids of comms whose answers are waited for, and preferred.
    """

    def __init__(
        self, cell_id: str | None, comms: Sequence[Any], own: Set[str] = frozenset()
    ) -> None:
        self.request_id = secrets.token_hex(16)
        self.cell_id = cell_id
        self.loop = asyncio.get_running_loop()
        self.answer: asyncio.Future[Notebook | None] = self.loop.create_future()
        self.silent = list(comms)
        """The comms that have not answered yet."""
        self.best: Notebook | None = None
        """The best answer so far."""
        self._own = own
        self._asked_for_all: set[str] = set()

    def message(self, known: str | None = None) -> dict[str, Any]:
        """Return the question as it is sent to a page.

        Args:
            known: The revision of the page's last answer, if that is known.
        """
        question = {"request_id": self.request_id, "cell_id": self.cell_id}
        return {"type": "cells.get", **question, **({"known": known} if known else {})}

    def ask_for_all(self, comm: Any) -> bool:
        """Ask a page again, for all its cells, but only once. Return whether it is asked now."""
        if comm.comm_id in self._asked_for_all:
            return False
        self._asked_for_all.add(comm.comm_id)
        comm.send(self.message())
        return True

    def take(self, comm: Any, notebook: Notebook | None) -> None:
        """Take a page's answer, and end the waiting if it decides the question."""
        if comm in self.silent:
            self.silent.remove(comm)
        is_own = comm.comm_id in self._own
        if notebook and notebook.cells and (is_own or self.best is None):
            self.best = notebook
        waits_for_own = any(other.comm_id in self._own for other in self.silent)
        is_found = self.best is not None and (is_own or not waits_for_own)
        if not self.answer.done() and (is_found or not self.silent):
            self.answer.set_result(self.best)
