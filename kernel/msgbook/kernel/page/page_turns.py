"""What a page may have missed: turns that run or are not stored yet, open questions, and AgentMetadata to save."""

from __future__ import annotations

import asyncio
import secrets
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from threading import Lock, RLock
from typing import TYPE_CHECKING, Any

from msgbook.approval import Answer, Question
from msgbook.kernel.page.kept_turns import KeptTurns
from msgbook.kernel.page.page_comms import PageComms
from msgbook.notebook import RequestedCell, Transcript
from msgbook.text import repair_surrogates
from msgbook_format.typed import as_text

if TYPE_CHECKING:
    from msgbook.display.publish import TurnDisplay


_NO_TURN = {"display_id": None, "seq": 0, "turn": None, "writer": None}


class PageTurns:
    """Sends turns to each page that opens, and answers `turn.get`.

    An ended turn is kept until a page says that it is safe in its notebook (`turn.seen`). After that,
    the user may clear the output, and the turn does not come back. It is kept on disk, too, and those
    that an earlier kernel of the notebook left there are sent as well.

    Messages arrive on a comm's thread; a running turn's display is only read on its event loop.
    """

    def __init__(self, pages: PageComms, kept: KeptTurns) -> None:
        self._kept = kept
        self._recovering, self._is_recovered = Lock(), False
        # Before the writers: they name the page that writes what is found.
        pages.on_open(self._recover)
        self._running: dict[str, tuple[TurnDisplay, asyncio.AbstractEventLoop]] = {}
        self._ended: dict[str, dict[str, Any]] = {}
        """State of the turns that no page has stored yet, by cell id."""
        self._writers = Writers(pages)
        pages.on_message("turn.get", self._send_requested)
        pages.on_message("turn.seen", self._drop_seen)
        pages.on_open(self._send_all)

    def writer_of(self, display_id: str) -> str | None:
        """Return `Writers.writer_of`."""
        return self._writers.writer_of(display_id)

    def start(self, display: TurnDisplay, client_session: str | None = None) -> None:
        """Add a turn that starts, in place of the last turn of its cell.

        Args:
            client_session: Session of the client that runs the cell.
        """
        if display.cell_id is not None:
            self._drop(display.cell_id)
            display.keep = partial(self._kept.put, display.cell_id)
            self._running[display.cell_id] = (display, asyncio.get_running_loop())
            self._writers.start(display.display_id, display.cell_id, client_session)

    def end(self, display: TurnDisplay) -> None:
        """Keep a turn that has ended; its display has shown the end."""
        if display.cell_id is not None:
            # With subshells, a client may run one cell twice at the same time.
            self._forget(display.cell_id)
            self._ended[display.cell_id] = display.state()
            self._running.pop(display.cell_id, None)

    def forget(self, cell_ids: Iterable[Any]) -> None:
        """Drop the turns of cells that no longer have one. Unknown ids are ignored."""
        for cell_id in cell_ids:
            if isinstance(cell_id, str):
                self._drop(cell_id)

    def _send_all(self, comm: Any) -> None:
        """Send all turns: a page cannot see that its cell was run again while it was closed."""
        # Listed first: a turn that ends meanwhile is sent twice rather than not at all.
        running = list(self._running.items())
        for cell_id, state in list(self._ended.items()):
            comm.send({"type": "turn", "cell_id": cell_id, **self._with_writer(state)})
        for cell_id, (display, loop) in running:
            loop.call_soon_threadsafe(_send_running, comm, {"cell_id": cell_id}, display)

    def _send_requested(self, comm: Any, data: dict[str, Any]) -> None:
        cell_id = data.get("cell_id")
        reply_to = {"request_id": data.get("request_id"), "cell_id": cell_id}
        running = self._running.get(as_text(cell_id))
        if running is not None:
            display, loop = running
            loop.call_soon_threadsafe(_send_running, comm, reply_to, display)
        else:
            state = self._ended.get(str(cell_id))
            turn = self._with_writer(state) if state else _NO_TURN
            comm.send({"type": "turn", **reply_to, **turn})

    def _drop_seen(self, _comm: Any, data: dict[str, Any]) -> None:
        display_id = data.get("display_id")
        for cell_id, state in list(self._ended.items()):
            if state["display_id"] == display_id:
                self._drop(cell_id)

    def _with_writer(self, state: dict[str, Any]) -> dict[str, Any]:
        return state | {"writer": self.writer_of(state["display_id"])}

    def _recover(self, _comm: Any) -> None:
        """Take over what earlier kernels of the notebook have kept, once."""
        with self._recovering:
            if self._is_recovered:
                return
            self._is_recovered = True
            for cell_id, turn in self._kept.take_over().items():
                if cell_id not in self._running and cell_id not in self._ended:
                    display_id = uuid.uuid4().hex
                    state = {"display_id": display_id, "seq": 0, "turn": turn}
                    self._ended[cell_id] = state | {"recovered": True}
                    self._writers.offer(display_id, cell_id)

    def _drop(self, cell_id: str) -> None:
        self._kept.drop(cell_id)
        self._forget(cell_id)

    def _forget(self, cell_id: str) -> None:
        state = self._ended.pop(cell_id, None)
        if state is not None:
            self._writers.end(state["display_id"])


def _send_running(comm: Any, keys: dict[str, Any], display: TurnDisplay) -> None:
    """Send a running turn to a page, with further keys, and then its changes to all pages."""
    display.follow()
    comm.send({"type": "turn", **keys, **display.state()})


# Questions to the pages about tool calls (docs/protocol.md, `approval.ask`).


_REASON_LIMIT = 2000
"""Characters of the user's reason that are kept; the model is sent it."""

_ARGUMENTS_LIMIT = 1_000_000
"""Characters of arguments that the user may write."""

_OTHER_ARGUMENTS = "the page showed other arguments than those that it was asked about"


class PageQuestions:
    """The open questions. Any page may answer, also one that opens after the question.

    The first answer counts, and a page whose answer does not count is told.

    A page answers on a comm's thread; `ask` belongs to the event loop's thread.
    """

    def __init__(self, pages: PageComms) -> None:
        self._pages = pages
        self._open: dict[str, _OpenQuestion] = {}
        pages.on_message("approval.answer", self._take_answer)
        pages.on_open(self._send_all)

    async def ask(self, question: Question, cell_id: str | None, display_id: str) -> Answer:
        """Ask all pages, and return the first answer, however long that takes."""
        request_id = secrets.token_hex(16)
        message = {
            "type": "approval.ask",
            "request_id": request_id,
            "cell_id": cell_id,
            "display_id": display_id,
            "subject": question.subject,
            "call_id": question.call["id"],
            "asker": [repair_surrogates(name) for name in question.asker],
            "name": question.call["name"],
            "arguments": question.call["arguments"],
            "reason": repair_surrogates(question.approval_request.reason),
            "preview": repair_surrogates(question.approval_request.preview),
            "choices": [*question.choices, *(["edit"] if question.can_edit else [])],
            "edited": question.is_edited,
            "problem": repair_surrogates(question.problem),
            "draft": repair_surrogates(question.draft),
        }
        waiting = _OpenQuestion(message)
        self._open[request_id] = waiting
        try:
            self._pages.send(message)
            return await waiting.answer
        finally:
            del self._open[request_id]
            self._pages.send({"type": "approval.closed", "request_id": request_id})

    def _send_all(self, comm: Any) -> None:
        for waiting in list(self._open.values()):
            # On the event loop: the turn that the question is about is sent there first.
            waiting.loop.call_soon_threadsafe(self._send_if_open, comm, waiting)

    def _send_if_open(self, comm: Any, waiting: _OpenQuestion) -> None:
        if waiting in self._open.values():
            comm.send(waiting.message)

    def _take_answer(self, comm: Any, data: dict[str, Any]) -> None:
        request_id = data.get("request_id")
        if not isinstance(request_id, str):
            return
        late = partial(comm.send, {"type": "approval.late", "request_id": request_id})
        waiting = self._open.get(request_id)
        if waiting is None:
            late()
            return
        answer = _read(data, waiting.message)
        if answer is None:
            # The page has closed the question; nobody else may be there to answer it.
            waiting.loop.call_soon_threadsafe(self._send_if_open, comm, waiting)
            return
        waiting.loop.call_soon_threadsafe(waiting.take, answer, late)


def _read(data: dict[str, Any], asked: dict[str, Any]) -> Answer | None:
    """Return a page's answer to a question; None if it is not a valid one."""
    choice: Any = data.get("decision")
    if choice not in asked["choices"]:
        return None
    if choice == "edit":
        edited = data.get("edited_arguments")
        if not isinstance(edited, str) or len(edited) > _ARGUMENTS_LIMIT:
            return None
        return Answer("edit", arguments=repair_surrogates(edited))
    if choice != "no" and data.get("arguments", asked["arguments"]) != asked["arguments"]:
        return Answer("no", _OTHER_ARGUMENTS)
    return Answer(choice, repair_surrogates(as_text(data.get("reason")))[:_REASON_LIMIT])


class _OpenQuestion:
    def __init__(self, message: dict[str, Any]) -> None:
        self.message = message
        self.loop = asyncio.get_running_loop()
        self.answer: asyncio.Future[Answer] = self.loop.create_future()

    def take(self, answer: Answer, late: Callable[[], object]) -> None:
        """Take the first answer; call `late` for any other one."""
        if self.answer.done():
            late()
        else:
            self.answer.set_result(answer)


# The AgentMetadata of a notebook that a page shows: only the page can save them.


class AgentKeeper:
    """Lets the page that shows a running cell save new AgentMetadata.

    A page that did not tell its notebook's metadata may have others, which are not to be replaced.
    """

    def __init__(self, pages: PageComms, requested: RequestedCell) -> None:
        self._pages = pages
        self._requested = requested
        self._is_live = False

    def read(self, transcript: Transcript) -> Transcript:
        """Note where a transcript comes from, and return it."""
        self._is_live = transcript.source == "live"
        return transcript

    def keep(self, agent_metadata: dict[str, Any]) -> None:
        """Send AgentMetadata to the page that the transcript comes from, if there is one."""
        if self._is_live:
            message = {"cell_id": self._requested.cell_id, "agent_metadata": agent_metadata}
            self._pages.send_mark({"type": "agent.keep", **message}, self._requested.client_session)


# The page that writes each turn into a document that several pages share (docs/protocol.md).


WRITER_TIMEOUT = 3.0
"""Seconds in which a writer has to answer, if another page could take its place."""


@dataclass
class _WrittenTurn:
    cell_id: str
    writer: str | None
    """Client session of the page that writes; None while there is no such page."""
    has_answered: bool = True
    """Whether the page has answered since it was last asked."""

    def message(self, display_id: str) -> dict[str, Any]:
        """Return the `turn.writer` message."""
        about = {"display_id": display_id, "cell_id": self.cell_id}
        return {"type": "turn.writer", **about, "writer": self.writer}


class Writers:
    """Names one page for each turn: the one that runs the cell, as long as it answers.

    When that page is gone, the first page that offers itself takes over. `start` belongs to an event
    loop's thread, which then checks the writers; messages arrive on the comms' threads.
    """

    def __init__(self, pages: PageComms) -> None:
        self._pages = pages
        self._lock = RLock()
        """Also held while messages are sent: the pages get them in the order of the decisions."""
        self._turns: dict[str, _WrittenTurn] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._timer: asyncio.TimerHandle | None = None
        pages.on_message("turn.writing", self._take_offer)
        pages.on_open(self._send_all)
        pages.on_close(self._drop_closed)

    def start(self, display_id: str, cell_id: str, client_session: str | None) -> None:
        """Name the writer of a turn that starts.

        Args:
            client_session: Session of the client that runs the cell.
        """
        with self._lock:
            self._turns[display_id] = _WrittenTurn(cell_id, client_session)
        self._loop = asyncio.get_running_loop()
        self._watch()

    def offer(self, display_id: str, cell_id: str) -> None:
        """Let the first page that offers itself write a turn that has ended."""
        with self._lock:
            self._turns[display_id] = _WrittenTurn(cell_id, None)

    def end(self, display_id: str) -> None:
        """Forget a turn that is in the document, or no longer belongs there."""
        with self._lock:
            self._turns.pop(display_id, None)

    def writer_of(self, display_id: str) -> str | None:
        """Return the client session of the page that writes a turn; None while there is none."""
        turn = self._turns.get(display_id)
        return turn.writer if turn is not None else None

    def check(self) -> None:
        """Drop the writers that have not answered since the last check, and ask all of them again."""
        with self._lock:
            sessions = self._pages.client_sessions
            for display_id, turn in list(self._turns.items()):
                is_alone = turn.writer is not None and sessions == {turn.writer}
                if not turn.has_answered and not is_alone:
                    turn.writer = None
                turn.has_answered = is_alone
                if not is_alone:
                    self._pages.send(turn.message(display_id))

    def _watch(self) -> None:
        if self._timer is None and self._loop is not None:
            self._timer = self._loop.call_later(WRITER_TIMEOUT, self._tick)

    def _tick(self) -> None:
        self._timer = None
        self.check()
        if self._turns and self._pages.is_connected:
            self._watch()

    def _send_all(self, comm: Any) -> None:
        with self._lock:
            for display_id, turn in list(self._turns.items()):
                comm.send(turn.message(display_id))
        if self._turns and self._loop is not None:
            self._loop.call_soon_threadsafe(self._watch)

    def _drop_closed(self) -> None:
        with self._lock:
            sessions = self._pages.client_sessions
            for display_id, turn in list(self._turns.items()):
                if turn.writer is not None and turn.writer not in sessions:
                    turn.writer = None
                    self._pages.send(turn.message(display_id))

    def _take_offer(self, comm: Any, data: dict[str, Any]) -> None:
        display_id, session = data.get("display_id"), self._pages.client_session(comm)
        with self._lock:
            turn = self._turns.get(as_text(display_id))
            if turn is None or session is None:
                return
            is_new_writer = turn.writer is None
            if is_new_writer:
                turn.writer = session
            turn.has_answered = turn.has_answered or turn.writer == session
            if is_new_writer:
                self._pages.send(turn.message(str(display_id)))
