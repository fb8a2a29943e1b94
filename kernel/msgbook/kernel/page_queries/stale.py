"""The stale turns of a page's notebook: what `%stale` lists, for marks at their cells."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

from msgbook.kernel.page.queries import PageQueries, Query, QueryError
from msgbook.notebook import RequestedCell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from msgbook.kernel.session import Session
    from msgbook.notebook import Cell
    from msgbook.request.history import StaleTurn


def answer_queries(queries: PageQueries, session: Session) -> None:
    """Answer `stale.list`: the stale turns from the first cell through one of the page."""

    async def list_stale(query: Query) -> dict[str, Any]:
        requested = RequestedCell(
            "", cell_id=query.text("cell_id"), client_session=query.client_session
        )
        engine = await session.ready_engine()
        transcript = await session.transcripts.read(requested)
        if transcript.source != "live" or transcript.current is None:
            raise QueryError("The page did not send its cells: it may be busy. Try again.")
        from msgbook.magics.stale import find_stale_turns

        cells = [*transcript.earlier, transcript.current]
        found = await find_stale_turns(engine, replace(transcript, earlier=cells))
        return {"groups": _groups(cells, found)}

    queries.on_query("stale.list", list_stale)


def _groups(cells: Sequence[Cell], found: Sequence[StaleTurn]) -> list[dict[str, Any]]:
    """Return neighbouring turns with the same first change together, with ids for positions."""
    from msgbook.notebook import id_of

    groups = []
    for changed, group in groupby(found, lambda turn: turn.changed):
        turns = list(group)
        groups.append(
            {
                "turns": [id_of(cells[turn.cell]) for turn in turns],
                "changed": [id_of(cells[position]) for position in changed],
                "maybe_system": turns[0].maybe_system,
            }
        )
    return groups
