"""The comms to the pages (docs/protocol.md): which pages are open, and which cells they show."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from msgbook.kernel.page.cells_question import CellsQuestion
from msgbook.kernel.page.known_cells import MissingCellError
from msgbook.kernel.page.open_comms import OpenComms
from msgbook.notebook import Notebook

COMM_TARGET = "msgbook"

ANSWER_TIMEOUT = 2.0
"""Seconds to wait for a page's cells; even a busy page answers in a tenth of that."""

OWN_ANSWER_TIMEOUT = 20.0
"""Seconds to wait for the page that sent the request. It is there, so its machine or connection is slow."""

COMPLETION_TIMEOUT = 0.3
"""Seconds to wait for a page's cells while the user waits for a completion."""

Handler = Callable[[Any, dict[str, Any]], None]
"""Handles a message, given its comm and its data; runs in the comm's thread. Only `type` is known
to be a string, and `buffers` is the list of the message's buffers; all other values may be of any type."""


class PageComms:
    """The open comms of one kernel.

    Messages arrive on the thread of a subshell; cells are asked for on the event loop.
    """

    def __init__(self) -> None:
        self._open = OpenComms()
        self._questions: dict[str, CellsQuestion] = {}
        self._handlers: dict[str, Handler] = {"cells": self._take_cells}
        self._client_sessions: dict[str, str] = {}
        """By comm id."""
        self._open_callbacks: list[Callable[[Any], None]] = []
        self._close_callbacks: list[Callable[[], None]] = []

    def on_message(self, message_type: str, handler: Handler) -> None:
        """Call a handler with each message of a type. Messages of unknown types are ignored."""
        self._handlers[message_type] = handler

    def on_open(self, callback: Callable[[Any], None]) -> None:
        """Call a function with each comm that a page opens, in the comm's thread.

        The same happens when a comm that was removed as silent sends a message: its page has missed
        the messages in between.
        """
        self._open_callbacks.append(callback)

    def on_close(self, callback: Callable[[], None]) -> None:
        """Call a function after a page has closed its comm, in the comm's thread."""
        self._close_callbacks.append(callback)

    def comm_opened(self, comm: Any, message: dict[str, Any]) -> None:
        """Add a comm that a page opens; this is the comm target's callback."""
        session = message.get("header", {}).get("session")
        if isinstance(session, str):
            self._client_sessions[comm.comm_id] = session
        comm.on_msg(lambda message: self._dispatch(comm, message))
        comm.on_close(lambda _message: self._remove(comm))
        self._note_message(comm)

    def client_session(self, comm: Any) -> str | None:
        """Return the client session of a comm's page."""
        return self._client_sessions.get(comm.comm_id)

    @property
    def client_sessions(self) -> set[str | None]:
        """The client sessions of the pages, as in the headers of their `execute_request`s."""
        return {self.client_session(comm) for comm in self._open.snapshot()}

    @property
    def is_connected(self) -> bool:
        """True while a page has an open comm and answers on it."""
        return len(self._open) > 0

    @property
    def count(self) -> int:
        """Number of open comms whose pages answer."""
        return len(self._open)

    def send(self, message: dict[str, Any]) -> None:
        """Send a message to all pages."""
        for comm in self._open.snapshot():
            comm.send(message)

    def send_mark(self, message: Mapping[str, Any], client_session: str | None = None) -> bool:
        """Send a `cells.mark` or `agent.keep` to all pages, and return whether there is a page.

        Args:
            client_session: Session of the requesting client. If it is a page, that page changes a
                document that several pages share.
        """
        writer = client_session if client_session in self.client_sessions else None
        self.send({**message, "writer": writer})
        return self.is_connected

    async def cells_through(
        self, cell_id: str, client_session: str | None = None
    ) -> Notebook | None:
        """Return the cells from the first through the one with that id.

        Cells that have not changed since a page's last answer are the same objects. Nobody may
        change them in place.

        Args:
            client_session: Session of the requesting client. If several pages have the cell, the
                answer of that client's page counts, which may be ahead of the others; else the
                first answer.

        Returns:
            None if there is no page, none has the cell, or none answers in time.
        """
        number, comms = self._open.begin_waiting()
        own = {
            comm.comm_id
            for comm in comms
            if client_session and self.client_session(comm) == client_session
        }
        notebook = None
        try:
            question = CellsQuestion(cell_id, comms, own)
            waits = (ANSWER_TIMEOUT, OWN_ANSWER_TIMEOUT - ANSWER_TIMEOUT if own else 0)
            notebook = await self._ask(question, *waits)
            return notebook
        finally:
            # A page that was only slow is added again with its next message.
            self._open.end_waiting(number, in_vain=notebook is None)

    async def all_cells(self) -> Notebook | None:
        """Return all cells, without outputs, of the first page that answers; None if none does in time."""
        return await self._ask(CellsQuestion(None, self._open.snapshot()), COMPLETION_TIMEOUT)

    async def _ask(self, question: CellsQuestion, *waits: float) -> Notebook | None:
        """Return the answer, or the best there is after one of these waits, in seconds."""
        if not question.silent:
            return None
        self._questions[question.request_id] = question
        try:
            for comm in list(question.silent):
                known = self._open.revision(comm.comm_id) if question.cell_id is not None else None
                comm.send(question.message(known))
            for seconds in waits:
                await asyncio.wait({question.answer}, timeout=seconds)
                if question.answer.done() or question.best is not None:
                    break
            return question.best
        finally:
            del self._questions[question.request_id]

    def _remove(self, comm: Any) -> None:
        self._open.remove(comm.comm_id)
        self._client_sessions.pop(comm.comm_id, None)
        for callback in self._close_callbacks:
            callback()

    def _note_message(self, comm: Any) -> None:
        if self._open.note_message(comm):
            for callback in self._open_callbacks:
                callback(comm)

    def _dispatch(self, comm: Any, message: dict[str, Any]) -> None:
        self._note_message(comm)
        data = message.get("content", {}).get("data")
        kind = data.get("type") if isinstance(data, dict) else None
        handler = self._handlers.get(kind) if isinstance(kind, str) else None
        if handler is not None:
            handler(comm, {**data, "buffers": message.get("buffers") or []})

    def _take_cells(self, comm: Any, data: dict[str, Any]) -> None:
        request_id = data.get("request_id")
        question = self._questions.get(request_id) if isinstance(request_id, str) else None
        try:
            # Also a late answer: the page's next one may refer to it.
            notebook = self._open.complete(comm.comm_id, data)
        except MissingCellError:
            if question is None or question.ask_for_all(comm):
                return
            notebook = None
        if question is not None:
            question.loop.call_soon_threadsafe(question.take, comm, notebook)
