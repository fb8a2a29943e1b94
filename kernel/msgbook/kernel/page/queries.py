"""Queries: what the toolbars and panels of a page ask their kernel (docs/protocol.md, `query`)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from msgbook.errors import MsgbookError
from msgbook.kernel.page.page_comms import PageComms
from msgbook.text import repair_surrogates
from msgbook_format.typed import as_dict, as_text

INTERNAL_ERROR = "msgbook failed to answer; see the kernel's log."


class QueryError(MsgbookError):
    """A query that cannot be answered; its words are for the person who clicked."""


@dataclass(frozen=True, slots=True)
class Query:
    """One query of a page.

    Attributes:
        params: As they came: each value may be of any type.
        client_session: Of the page that asks; None if it is not known.
        secret: A key, which comes beside the message, so that no log has it.
    """

    params: Mapping[str, Any]
    client_session: str | None = None
    secret: str | None = field(default=None, repr=False)

    def text(self, key: str) -> str:
        """Return a parameter that has to be a string, with lone surrogates replaced.

        Raises:
            QueryError: It is missing or of another type.
        """
        value = self.params.get(key)
        if not isinstance(value, str):
            raise QueryError(f"`{key}` has to be a text, not {type(value).__name__}.")
        return repair_surrogates(value)


QueryHandler = Callable[[Query], Awaitable[dict[str, Any]]]
"""Answers a query with an object of JSON; runs on the kernel's main loop.

It raises a MsgbookError if the query cannot be answered."""


class PageQueries:
    """Answers queries on the kernel's main loop, also while a turn runs there.

    Args:
        main_loop: Messages arrive on the thread of a subshell.
        log_error: Logs an error that is not a MsgbookError.
    """

    def __init__(
        self,
        pages: PageComms,
        main_loop: asyncio.AbstractEventLoop,
        log_error: Callable[[Exception], object],
    ) -> None:
        self._pages = pages
        self._main_loop = main_loop
        self._log_error = log_error
        self._handlers: dict[str, QueryHandler] = {}
        pages.on_message("query", self._take)

    def on_query(self, name: str, handler: QueryHandler) -> None:
        """Answer the queries of a name with a handler."""
        self._handlers[name] = handler

    def _take(self, comm: Any, data: dict[str, Any]) -> None:
        answering = self._answer(comm, data)
        asyncio.run_coroutine_threadsafe(answering, self._main_loop)

    async def _answer(self, comm: Any, data: dict[str, Any]) -> None:
        message: dict[str, Any] = {"type": "query.answer", "request_id": data.get("request_id")}
        try:
            message["result"] = await self._result(comm, data)
        except MsgbookError as error:
            message["error"] = str(error)
        except Exception as error:  # the page is told in any case
            self._log_error(error)
            message["error"] = INTERNAL_ERROR
        comm.send(message)

    async def _result(self, comm: Any, data: dict[str, Any]) -> dict[str, Any]:
        name, params = data.get("name"), data.get("params")
        handler = self._handlers.get(as_text(name))
        if handler is None:
            raise QueryError(f"This kernel does not know the query {name!r}: restart the kernel.")
        params = as_dict(params)
        return await handler(Query(params, self._pages.client_session(comm), _secret(data)))


def _secret(data: Mapping[str, Any]) -> str | None:
    """Return the text of a message's buffer."""
    buffers = data.get("buffers")
    return bytes(buffers[0]).decode("utf-8", "replace") if buffers else None
