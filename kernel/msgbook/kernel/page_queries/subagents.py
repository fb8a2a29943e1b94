"""The sub-agents that run in this kernel, each of which a page can stop alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgbook.kernel.page.queries import PageQueries, Query, QueryError

if TYPE_CHECKING:
    from msgbook.kernel.session import Session


def answer_queries(queries: PageQueries, session: Session) -> None:
    """Answer `subagent.list`, which run and for which cells, and `subagent.stop`."""

    async def list_running(_query: Query) -> dict[str, Any]:
        engine = await session.ready_engine()
        found = engine.subagents.by_cell()
        return {"running": [{"uuid": uuid, "cell_id": cell_id} for uuid, cell_id in found]}

    async def stop(query: Query) -> dict[str, Any]:
        cell_id, uuid = query.text("cell_id"), query.text("uuid")
        engine = await session.ready_engine()
        if not engine.subagents.stop(cell_id, uuid):
            raise QueryError("The sub-agent does not run here any more.")
        return {}

    queries.on_query("subagent.list", list_running)
    queries.on_query("subagent.stop", stop)
