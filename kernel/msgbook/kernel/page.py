"""The comm to the page (docs/protocol.md): who is there, and which cells they show."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Sequence
from typing import Any

from msgbook.cells import Cell
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
        self._comms: dict[str, Any] = {}
        self._questions: dict[str, _CellsQuestion] = {}
        self._handlers: dict[str, Handler] = {"cells": self._take_cells}
        self._greetings: list[Callable[[Any], None]] = []

    def handle(self, message_type: str, handler: Handler) -> None:
        """Have messages of a type handled; those of unknown types are ignored."""
        self._handlers[message_type] = handler

    def greet(self, greeting: Callable[[Any], None]) -> None:
        """Have a function called with each comm that a page opens, in the comm's thread."""
        self._greetings.append(greeting)

    def opened(self, comm: Any, _message: dict[str, Any]) -> None:
        """Take in a comm that a page opened; the target's handler."""
        self._comms[comm.comm_id] = comm
        comm.on_msg(lambda message: self._received(comm, message))
        comm.on_close(lambda _message: self._comms.pop(comm.comm_id, None))
        for greeting in self._greetings:
            greeting(comm)

    @property
    def connected(self) -> bool:
        """Whether a page has opened a comm and answers on it."""
        return bool(self._comms)

    @property
    def count(self) -> int:
        """How many comms are open."""
        return len(self._comms)

    def send(self, message: dict[str, Any]) -> None:
        """Send a message to all pages."""
        for comm in list(self._comms.values()):
            comm.send(message)

    async def notebook(self, cell_id: str) -> Notebook | None:
        """The cells from the first through the one with that id, from the first page that has it.

        None when no page is there, none has the cell, or none answers in time.
        """
        question = _CellsQuestion(list(self._comms.values()))
        try:
            return await self._ask(question, cell_id, ANSWER_TIMEOUT)
        finally:
            # A tab that went without a word is not waited for again; one that was slow comes back
            # with its answer.
            for comm in question.silent:
                self._comms.pop(comm.comm_id, None)

    async def all_cells(self) -> Sequence[Cell] | None:
        """All cells, without outputs, of the first page that answers; None when none does at once."""
        shown = await self._ask(_CellsQuestion(list(self._comms.values())), None, MOMENT)
        return shown.cells if shown else None

    async def _ask(
        self, question: _CellsQuestion, cell_id: str | None, seconds: float
    ) -> Notebook | None:
        if not question.silent:
            return None
        request_id = secrets.token_hex(16)
        self._questions[request_id] = question
        try:
            for comm in list(question.silent):
                comm.send({"type": "cells.get", "request_id": request_id, "cell_id": cell_id})
            async with asyncio.timeout(seconds):
                return await question.answer
        except TimeoutError:
            return None
        finally:
            del self._questions[request_id]

    def _received(self, comm: Any, message: dict[str, Any]) -> None:
        self._comms[comm.comm_id] = comm
        data = message.get("content", {}).get("data")
        kind = data.get("type") if isinstance(data, dict) else None
        handler = self._handlers.get(kind) if isinstance(kind, str) else None
        if handler is not None:
            handler(comm, data)

    def _take_cells(self, comm: Any, data: dict[str, Any]) -> None:
        request_id = data.get("request_id")
        question = self._questions.get(request_id) if isinstance(request_id, str) else None
        if question is None:
            return
        question.loop.call_soon_threadsafe(question.take, comm, _notebook(data))


def _notebook(data: dict[str, Any]) -> Notebook | None:
    """What a page answered; None where it does not hold the cell."""
    cells, metadata = data.get("cells"), data.get("metadata")
    if not isinstance(cells, list) or not all(isinstance(cell, dict) for cell in cells):
        return None
    return Notebook(cells, metadata if isinstance(metadata, dict) else {})


class _CellsQuestion:
    """One question to several pages: the first answer with cells counts, or else the last."""

    def __init__(self, asked: list[Any]) -> None:
        self.loop = asyncio.get_running_loop()
        self.answer: asyncio.Future[Notebook | None] = self.loop.create_future()
        self.silent = list(asked)
        """The comms that have not answered yet."""

    def take(self, comm: Any, shown: Notebook | None) -> None:
        if comm in self.silent:
            self.silent.remove(comm)
        if not self.answer.done() and ((shown and shown.cells) or not self.silent):
            self.answer.set_result(shown)
