"""New conversations from the first cells of this one."""

from __future__ import annotations

import asyncio
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from msgbook.kernel.page.queries import PageQueries, Query, QueryError

if TYPE_CHECKING:
    from msgbook.kernel.session import Session


def answer_queries(queries: PageQueries, session: Session) -> None:
    """Answer `conversation.fork`: copies a saved conversation up to a cell into a new file."""

    async def fork(query: Query) -> dict[str, Any]:
        name, cell_id = query.text("name"), query.text("cell_id")
        if PurePosixPath(name).name != name or "\\" in name:
            raise QueryError(f"`name` has to be the name of a file, not {name!r}.")
        from msgbook.notebook import fork_conversation

        folder = (await session.ready_engine()).folder
        forked = await asyncio.to_thread(fork_conversation, folder / name, cell_id)
        return {"name": forked.name}

    queries.on_query("conversation.fork", fork)
