"""The comm to the page (docs/protocol.md): who is there, and which cells they show."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Mapping
from typing import Any

from msgbook.kernel.known_cells import MissingCellError
from msgbook.kernel.open_comms import OpenComms
from msgbook.transcript import Notebook

COMM_TARGET = "msgbook"

ANSWER_TIMEOUT = 2.0
"""Seconds to wait for the page: a busy one answers in a tenth of that."""

MOMENT = 0.3
"""Seconds to wait where the user waits for a completion meanwhile."""

Handler = Callable[[Any, dict[str, Any]], None]
"""Takes a comm and the data of a message on it; runs in the comm's thread. The data may hold
anything under any key but `type`."""


class PageComms:
    """The open comms of one kernel.

    Comms are opened and answered on a subshell's thread; questions are asked on the event loop.
    """

    def __init__(self) -> None:
        self._open = OpenComms()
        self._questions: dict[str, _CellsQuestion] = {}
        self._handlers: dict[str, Handler] = {"cells": self._take_cells}
        self._greetings: list[Callable[[Any], None]] = []

    def handle(self, message_type: str, handler: Handler) -> None:
        """Have messages of a type handled; those of unknown types are ignored."""
        self._handlers[message_type] = handler

    def greet(self, greeting: Callable[[Any], None]) -> None:
        """Have a function called with each comm that a page opens, in the comm's thread.

        So it is with one that was taken for gone and is not: it has missed what was sent meanwhile.
        """
        self._greetings.append(greeting)

    def opened(self, comm: Any, _message: dict[str, Any]) -> None:
        """Take in a comm that a page opened; the target's handler."""
        comm.on_msg(lambda message: self._received(comm, message))
        comm.on_close(lambda _message: self._open.closed(comm.comm_id))
        self._heard(comm)

    @property
    def connected(self) -> bool:
        """Whether a page has opened a comm and answers on it."""
        return len(self._open) > 0

    @property
    def count(self) -> int:
        """How many comms are open, those aside whose page was taken for gone."""
        return len(self._open)

    def send(self, message: dict[str, Any]) -> None:
        """Send a message to all pages."""
        for comm in self._open.all():
            comm.send(message)

    def mark(self, message: Mapping[str, Any]) -> bool:
        """Send a `cells.mark` to all pages; whether there is one."""
        self.send(dict(message))
        return self.connected

    async def notebook(self, cell_id: str) -> Notebook | None:
        """The cells from the first through the one with that id, from the first page that has it.

        Cells that have not changed since that page last answered are the same objects as then:
        nobody may change them in place.

        Returns:
            None when no page is there, none has the cell, or none answers in time.
        """
        asked = self._open.begin_waiting()
        shown = await self._ask(_CellsQuestion(cell_id, asked), ANSWER_TIMEOUT)
        if shown is None:
            # Waited for no more; one that was slow comes back with a word.
            self._open.drop_silent()
        return shown

    async def all_cells(self) -> Notebook | None:
        """All cells, without outputs, of the first page that answers; None when none does at once."""
        return await self._ask(_CellsQuestion(None, self._open.all()), MOMENT)

    async def _ask(self, question: _CellsQuestion, seconds: float) -> Notebook | None:
        if not question.silent:
            return None
        self._questions[question.request_id] = question
        try:
            for comm in list(question.silent):
                known = self._open.revision(comm.comm_id) if question.cell_id is not None else None
                comm.send(question.message(known))
            async with asyncio.timeout(seconds):
                return await question.answer
        except TimeoutError:
            return None
        finally:
            del self._questions[question.request_id]

    def _heard(self, comm: Any) -> None:
        if self._open.heard(comm):
            for greeting in self._greetings:
                greeting(comm)

    def _received(self, comm: Any, message: dict[str, Any]) -> None:
        self._heard(comm)
        data = message.get("content", {}).get("data")
        kind = data.get("type") if isinstance(data, dict) else None
        handler = self._handlers.get(kind) if isinstance(kind, str) else None
        if handler is not None:
            handler(comm, data)

    def _take_cells(self, comm: Any, data: dict[str, Any]) -> None:
        request_id = data.get("request_id")
        question = self._questions.get(request_id) if isinstance(request_id, str) else None
        try:
            # One that comes late is taken as well: the next question can build upon it.
            shown = self._open.take(comm.comm_id, data)
        except MissingCellError:
            if question is None or question.again(comm):
                return
            shown = None
        if question is not None:
            question.loop.call_soon_threadsafe(question.take, comm, shown)


class _CellsQuestion:
    """One question to several pages: the first answer with cells counts, or else the last.

    Args:
        cell_id: The cell that runs; None to ask for all cells, without their outputs.
    """

    def __init__(self, cell_id: str | None, asked: list[Any]) -> None:
        self.request_id = secrets.token_hex(16)
        self.cell_id = cell_id
        self.loop = asyncio.get_running_loop()
        self.answer: asyncio.Future[Notebook | None] = self.loop.create_future()
        self.silent = list(asked)
        """The comms that have not answered yet."""
        self._asked_again: set[str] = set()

    def message(self, known: str | None = None) -> dict[str, Any]:
        """The question as it is sent.

        Args:
            known: The revision of the answer that is kept of that page.
        """
        asked = {"request_id": self.request_id, "cell_id": self.cell_id}
        return {"type": "cells.get", **asked, **({"known": known} if known else {})}

    def again(self, comm: Any) -> bool:
        """Ask a page for the whole, but only once; whether it was asked."""
        if comm.comm_id in self._asked_again:
            return False
        self._asked_again.add(comm.comm_id)
        comm.send(self.message())
        return True

    def take(self, comm: Any, shown: Notebook | None) -> None:
        if comm in self.silent:
            self.silent.remove(comm)
        if not self.answer.done() and ((shown and shown.cells) or not self.silent):
            self.answer.set_result(shown)
