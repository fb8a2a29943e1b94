"""The comms to the pages (docs/protocol.md): which pages are open, and which cells they show."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from msgbook.notebook import Cell, KeptCell, Notebook, is_count
from msgbook_format.typed import as_dict, as_text, is_dicts

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

    def pages_of(self, client_session: str | None) -> list[Any]:
        """Return the open comms, first that of a client."""
        comms = self._open.snapshot()
        return sorted(comms, key=lambda comm: self.client_session(comm) != client_session)

    async def cells_of_page(self, comm: Any, cell_id: str | None = None) -> Notebook | None:
        """Return the cells of one page: through the one with that id, or all of them without outputs.

        Returns:
            None if the page has no such cell, or does not answer in time.
        """
        return await self._ask(CellsQuestion(cell_id, [comm]), OWN_ANSWER_TIMEOUT)

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
        kind = as_dict(data).get("type")
        handler = self._handlers.get(as_text(kind))
        if handler is not None:
            handler(comm, {**data, "buffers": message.get("buffers") or []})

    def _take_cells(self, comm: Any, data: dict[str, Any]) -> None:
        request_id = data.get("request_id")
        question = self._questions.get(as_text(request_id))
        try:
            # Also a late answer: the page's next one may refer to it.
            notebook = self._open.complete(comm.comm_id, data)
        except MissingCellError:
            if question is None or question.ask_for_all(comm):
                return
            notebook = None
        if question is not None:
            question.loop.call_soon_threadsafe(question.take, comm, notebook)


# The open comms: which of them are silent, and the last answer of each page.


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


# One question for cells that is sent to several pages (docs/protocol.md, `cells.get`).


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


# The cells of the pages' last answers: a page sends only the cells that have changed since.


class MissingCellError(Exception):
    """A page calls a cell unchanged that is not known here."""


_KEPT = 8
"""Answers of one comm that later ones may refer to: more questions are hardly open at once."""


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known after an answer."""

    order: tuple[Cell, ...] = ()
    """The cells of the answer itself."""
    by_id: Mapping[str, Cell] = field(default_factory=dict)
    """Also those below, from earlier answers."""


class KnownCells:
    """Completes answers with the cells of the answers before.

    A page gives each answer a name, its `revision`. It leaves out what has not changed since the
    answer that it names as `since`, one that a question has named. Several questions may name the
    same one, because their answers are still to come.
    """

    def __init__(self) -> None:
        self._answers: dict[str, dict[str, _Known]] = {}
        """What was known after each answer, by comm and revision; the latest comes last."""

    def revision(self, comm_id: str) -> str | None:
        """Return the name of the latest answer of a comm; None for none."""
        return next(reversed(self._answers.get(comm_id, {})), None)

    def forget(self, comm_id: str) -> None:
        """Drop the answers of a comm."""
        self._answers.pop(comm_id, None)

    def complete(self, comm_id: str, data: Mapping[str, Any]) -> Notebook | None:
        """Return the notebook of an answer, with the same objects for cells that did not change.

        An answer without a revision is not kept, and does not replace the one before.

        Returns:
            None if the page does not have the cell that was asked for.

        Raises:
            MissingCellError: The answer leaves out an unknown cell; ask for all cells.
        """
        cells, revision, metadata = (data.get(key) for key in ("cells", "revision", "metadata"))
        metadata = as_dict(metadata)
        if not is_dicts(cells):
            return None
        kept = self._answers.get(comm_id, {})
        # A page that does not say which answer it means has the latest one in mind.
        since = data.get("since", self.revision(comm_id))
        before = kept.get(since, _Known()) if isinstance(since, str) else _Known()
        completed = [
            *_first_cells(data.get("same", 0), before.order),
            *(
                _known_cell(cell, before.by_id) if _is_unchanged(cell) else KeptCell(cell)
                for cell in cells
            ),
        ]
        if isinstance(revision, str):
            by_id = {cell["id"]: cell for cell in completed if isinstance(cell.get("id"), str)}
            # Cells below the one that was asked for are not in the answer, and are still known.
            known = _Known(tuple(completed), {**before.by_id, **by_id})
            kept = {**kept, revision: known}
            self._answers[comm_id] = dict(list(kept.items())[-_KEPT:])
        return Notebook(completed, metadata)


def _is_unchanged(cell: Cell) -> bool:
    return cell.get("unchanged") is True and "cell_type" not in cell


def _first_cells(number: Any, known: Sequence[Cell]) -> Sequence[Cell]:
    if not is_count(number) or number > len(known):
        raise MissingCellError
    return known[:number]


def _known_cell(cell: Cell, known: Mapping[str, Cell]) -> Cell:
    cell_id = cell.get("id")
    if not isinstance(cell_id, str) or cell_id not in known:
        raise MissingCellError
    return known[cell_id]
