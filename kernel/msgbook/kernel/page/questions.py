"""Asking the pages about a tool call (docs/protocol.md, `approval.ask`)."""

from __future__ import annotations

import asyncio
import secrets
from typing import Any

from msgbook.approval import Answer, Question
from msgbook.kernel.page.page_comms import PageComms
from msgbook.text import repair_surrogates

_REASON_LIMIT = 2000
"""Characters of a person's reason that are handed on."""

_OTHER_ARGUMENTS = "the page showed other arguments than those that it was asked about"


class PageQuestions:
    """The open questions; any page may answer, and one that is opened later is asked as well.

    A page answers on a comm's thread; `ask` belongs to the event loop's.
    """

    def __init__(self, pages: PageComms) -> None:
        self._pages = pages
        self._open: dict[str, _Open] = {}
        pages.handle("approval.answer", self._answered)
        pages.greet(self._ask_again)

    async def ask(self, question: Question, cell_id: str | None, display_id: str) -> Answer:
        """Ask all pages and wait for the first answer, however long that takes."""
        request_id = secrets.token_hex(16)
        message = {
            "type": "approval.ask",
            "request_id": request_id,
            "cell_id": cell_id,
            "display_id": display_id,
            "call_id": question.call["id"],
            "name": question.call["name"],
            "arguments": question.call["arguments"],
            "reason": repair_surrogates(question.approval_request.reason),
            "preview": repair_surrogates(question.approval_request.preview),
            "choices": list(question.choices),
        }
        asked = _Open(message)
        self._open[request_id] = asked
        try:
            self._pages.send(message)
            return await asked.answer
        finally:
            del self._open[request_id]
            self._pages.send({"type": "approval.closed", "request_id": request_id})

    def _ask_again(self, comm: Any) -> None:
        for asked in list(self._open.values()):
            # By way of the loop: behind the turn that the question is about.
            asked.loop.call_soon_threadsafe(self._send_open, comm, asked)

    def _send_open(self, comm: Any, asked: _Open) -> None:
        if asked in self._open.values():
            comm.send(asked.message)

    def _answered(self, _comm: Any, data: dict[str, Any]) -> None:
        request_id = data.get("request_id")
        asked = self._open.get(request_id) if isinstance(request_id, str) else None
        choice: Any = data.get("decision")
        if asked is None or choice not in asked.message["choices"]:
            return
        reason = data.get("reason")
        words = repair_surrogates(reason)[:_REASON_LIMIT] if isinstance(reason, str) else ""
        answer = Answer(choice, words)
        if choice != "no" and data.get("arguments", asked.arguments) != asked.arguments:
            answer = Answer("no", _OTHER_ARGUMENTS)
        asked.loop.call_soon_threadsafe(asked.take, answer)


class _Open:
    def __init__(self, message: dict[str, Any]) -> None:
        self.message = message
        self.loop = asyncio.get_running_loop()
        self.answer: asyncio.Future[Answer] = self.loop.create_future()

    @property
    def arguments(self) -> Any:
        return self.message["arguments"]

    def take(self, answer: Answer) -> None:
        if not self.answer.done():
            self.answer.set_result(answer)
