"""The tokens of a notebook's turns, as `%usage` counts them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgbook.kernel.page.queries import PageQueries, Query
from msgbook.kernel.page_queries.context import read_cells

if TYPE_CHECKING:
    from msgbook.kernel.session import Session


def answer_queries(queries: PageQueries, session: Session) -> None:
    """Answer `usage.total` for the cells through one of the page, and the context window below it."""

    async def total(query: Query) -> dict[str, Any]:
        from msgbook.kernel.page_queries.shown_request import window_share
        from msgbook.magics.usage import add_up, cost_by
        from msgbook.notebook import list_turn_usage

        transcript = await read_cells(query, session)
        engine = await session.ready_engine()
        current = [transcript.current] if transcript.current else []
        turns = list_turn_usage([*transcript.earlier, *current])
        sums = add_up(turns, cost_by(engine.settings))
        share = await window_share(engine, transcript)
        return {
            "turns": len(turns),
            "window_share": share,
            **{key: total._asdict() for key, total in sums.items()},
        }

    queries.on_query("usage.total", total)
