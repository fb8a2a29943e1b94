"""The wait before a server is asked again, which a person can end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgbook.kernel.page.queries import PageQueries, Query, QueryError

if TYPE_CHECKING:
    from msgbook.kernel.session import Session


def answer_queries(queries: PageQueries, session: Session) -> None:
    """Answer `retry.now`, which ends the waits of all turns of this kernel."""

    async def end_waits(_query: Query) -> dict[str, Any]:
        engine = await session.ready_engine()
        if not engine.waits.end():
            raise QueryError("No server is waited for any more.")
        return {}

    queries.on_query("retry.now", end_waits)
