"""The comm to the page (docs/protocol.md): who is there, and which cells they show."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Mapping, Set
from typing import Any

from msgbook.kernel.page.known_cells import MissingCellError
from msgbook.kernel.page.open_comms import OpenComms
from msgbook.notebook.transcript import Notebook

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
        self._clients: dict[str, str] = {}
        """Client session of the page at each comm, by the comm's id."""
        self._farewells: list[Callable[[], None]] = []

    def handle(self, message_type: str, handler: Handler) -> None:
        """Have messages of a type handled; those of unknown types are ignored."""
        self._handlers[message_type] = handler

    def greet(self, greeting: Callable[[Any], None]) -> None:
        """Have a function called with each comm that a page opens, in the comm's thread.

        So it is with one that was taken for gone and is not: it has missed what was sent meanwhile.
        """
        self._greetings.append(greeting)

    def when_closed(self, farewell: Callable[[], None]) -> None:
        """Have a function called after a page has closed its comm, in the comm's thread."""
        self._farewells.append(farewell)

    def opened(self, comm: Any, message: dict[str, Any]) -> None:
        """Take in a comm that a page opened; the target's handler."""
        client = message.get("header", {}).get("session")
        if isinstance(client, str):
            self._clients[comm.comm_id] = client
        comm.on_msg(lambda message: self._received(comm, message))
        comm.on_close(lambda _message: self._closed(comm))
        self._heard(comm)

    def client(self, comm: Any) -> str | None:
        """Return the client session of the page at a comm."""
        return self._clients.get(comm.comm_id)

    @property
    def clients(self) -> set[str | None]:
        """The client sessions of the pages, as `execute_request` names them."""
        return {self.client(comm) for comm in self._open.all()}

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

    def mark(self, message: Mapping[str, Any], client: str | None = None) -> bool:
        """Send a `cells.mark` to all pages; whether there is one.

        Args:
            client: Client session of the request. If it is a page's, that one marks a shared document.
        """
        self.send({**message, "writer": client if client in self.clients else None})
        return self.connected

    async def notebook(self, cell_id: str, client: str | None = None) -> Notebook | None:
        """Return the cells from the first through the one with that id.

        Cells that have not changed since a page last answered are the same objects as then: nobody
        may change them in place.

        Args:
            client: Client session of the request. Where several pages have the cell, the answer of
                that one counts; it may be ahead of the others. Else it is the first answer.

        Returns:
            None when no page is there, none has the cell, or none answers in time.
        """
        asked = self._open.begin_waiting()
        own = {comm.comm_id for comm in asked if client and self.client(comm) == client}
        shown = await self._ask(_CellsQuestion(cell_id, asked, own), ANSWER_TIMEOUT)
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
            return question.shown
        finally:
            del self._questions[question.request_id]

    def _closed(self, comm: Any) -> None:
        self._open.closed(comm.comm_id)
        self._clients.pop(comm.comm_id, None)
        for farewell in self._farewells:
            farewell()

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
        own: Ids of comms whose answer counts before those of others, and is waited for.
    """

    def __init__(self, cell_id: str | None, asked: list[Any], own: Set[str] = frozenset()) -> None:
        self.request_id = secrets.token_hex(16)
        self.cell_id = cell_id
        self.loop = asyncio.get_running_loop()
        self.answer: asyncio.Future[Notebook | None] = self.loop.create_future()
        self.silent = list(asked)
        """The comms that have not answered yet."""
        self.shown: Notebook | None = None
        """The best answer so far."""
        self._own = own
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
        is_own = comm.comm_id in self._own
        if shown and shown.cells and (is_own or self.shown is None):
            self.shown = shown
        waits = any(other.comm_id in self._own for other in self.silent)
        found = self.shown is not None and (is_own or not waits)
        if not self.answer.done() and (found or not self.silent):
            self.answer.set_result(self.shown)
