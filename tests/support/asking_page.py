"""A page of a session without a kernel, which asks queries about its cells."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from page_comm import Message, Page

from msgbook.kernel.session import Session
from msgbook_format.syntax import CHAT_CELLS


class AskingPage:
    """One page on a notebook.

    Args:
        cells: As nbformat has them; may be changed between questions.
    """

    def __init__(self, session: Session, cells: list[Any], metadata: Message | None = None) -> None:
        self.session = session
        self.cells = cells
        self.metadata = {} if metadata is None else metadata
        self._answers: dict[str, asyncio.Future[Message]] = {}
        session.answer_queries(asyncio.get_running_loop())
        self._page = Page(session.page, "a page", self._hear)

    async def ask(self, name: str, /, **params: Any) -> Message:
        """Return the result of a query.

        Raises:
            AssertionError: It was not answered; the words are the reader's.
        """
        request_id = str(len(self._answers))
        answer = self._answers[request_id] = asyncio.get_running_loop().create_future()
        self._page.say({"type": "query", "request_id": request_id, "name": name, "params": params})
        message = await answer
        assert "error" not in message, message["error"]
        result: Message = message["result"]
        return result

    def _hear(self, message: Message) -> None:
        if message["type"] == "query.answer":
            self._answers[message["request_id"]].set_result(message)
        elif message["type"] == "cells.get":
            # A real page answers later.
            asyncio.get_running_loop().call_soon(self._tell_cells, message)

    def _tell_cells(self, question: Message) -> None:
        ids = [cell["id"] for cell in self.cells]
        wanted = question["cell_id"]
        shown = self.cells[: ids.index(wanted) + 1] if wanted in ids else None
        answer = {"type": "cells", "request_id": question["request_id"], "cells": shown}
        self._page.say(answer | ({} if shown is None else {"metadata": self.metadata}))


def ask_about(
    folder: Path, cells: list[Any], name: str, metadata: Message | None = None, **params: Any
) -> Message:
    """Return the result of one query of a page on a notebook in a folder."""

    async def ask() -> Message:
        session = Session(folder, dict, CHAT_CELLS)
        try:
            return await AskingPage(session, cells, metadata).ask(name, **params)
        finally:
            await session.close()

    return asyncio.run(ask())
