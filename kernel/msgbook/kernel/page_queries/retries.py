"""The wait before a server is asked again, which a person can end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgbook.kernel.page.queries import PageQueries, Query, QueryError

if TYPE_CHECKING:
    from msgbook.kernel.session import Session


def answer_queries(queries: PageQueries, session: Session) -> None:
    """Answer `retry.now`, which ends the waits of a cell's turn."""

    async def end_waits(query: Query) -> dict[str, Any]:
        cell_id = query.text("cell_id")
        engine = await session.ready_engine()
        if not engine.waits.end(cell_id):
            raise QueryError("No server is waited for any more.")
        return {}

    queries.on_query("retry.now", end_waits)
