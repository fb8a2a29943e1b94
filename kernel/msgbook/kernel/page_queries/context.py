"""The request of a prompt as a page lists it, and the whole text of one of its messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgbook.kernel.page.queries import PageQueries, Query, QueryError
from msgbook.notebook import RequestedCell, Transcript

if TYPE_CHECKING:
    from msgbook.kernel.page_queries.shown_request import ShownRequest
    from msgbook.kernel.session import Session


def answer_queries(queries: PageQueries, session: Session) -> None:
    """Answer `context.request`, `context.message` and `context.body` for a cell of the page.

    Nothing is sent, and nothing runs.
    """

    async def request(query: Query) -> dict[str, Any]:
        return (await _preview(query, session)).as_json()

    async def message(query: Query) -> dict[str, Any]:
        from msgbook.text import visible

        index = query.params.get("index")
        shown = await _preview(query, session)
        texts = shown.messages
        if type(index) is not int or not 0 <= index < len(texts):
            raise QueryError("The request has changed: it has no such message now.")
        return {"text": visible(texts[index].text, keep="\n\t"), "hash": shown.hash}

    async def body(query: Query) -> dict[str, Any]:
        shown = await _preview(query, session)
        return {"body": shown.body}

    queries.on_query("context.request", request)
    queries.on_query("context.message", message)
    queries.on_query("context.body", body)


async def _preview(query: Query, session: Session) -> ShownRequest:
    """Return the request of a cell: of the prompt in it, else of a prompt below it."""
    from msgbook.kernel.page_queries.shown_request import preview_cell

    return await preview_cell(await session.ready_engine(), await read_cells(query, session))


async def read_cells(query: Query, session: Session) -> Transcript:
    """Return the cells of the asking page through the one that the query names.

    Raises:
        QueryError: The page does not send them.
    """
    requested = RequestedCell(
        "", cell_id=query.text("cell_id"), client_session=query.client_session
    )
    transcript = await session.transcripts.read(requested)
    if transcript.source == "live":
        return transcript
    raise QueryError("The page did not send its cells: it may be busy. Try again.")
