"""Questions to the pages about tool calls (docs/protocol.md, `approval.ask`)."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from functools import partial
from typing import Any

from msgbook.approval import Answer, Question
from msgbook.kernel.page.page_comms import PageComms
from msgbook.text import repair_surrogates

_REASON_LIMIT = 2000
"""Characters of the user's reason that are kept."""

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
    reason = data.get("reason")
    words = repair_surrogates(reason)[:_REASON_LIMIT] if isinstance(reason, str) else ""
    return Answer(choice, words)


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
