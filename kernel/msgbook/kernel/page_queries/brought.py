"""What messages have brought, which a turn's context names by digests: sizes of texts, and small pictures."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from msgbook.kernel.page.queries import PageQueries, Query, QueryError

if TYPE_CHECKING:
    from msgbook.kernel.session import Session

_LIMIT = 200
"""Digests of one query."""


def answer_queries(queries: PageQueries, session: Session) -> None:
    """Answer `context.sizes`, the estimated tokens of each text that is still kept, and `context.picture`."""

    async def sizes(query: Query) -> dict[str, Any]:
        digests = query.params.get("digests")
        if not isinstance(digests, list) or len(digests) > _LIMIT:
            raise QueryError(f"`digests` has to be a list of at most {_LIMIT} digests.")
        from msgbook.request import estimate_text_tokens

        blobs = (await session.ready_engine()).request_builder.blobs
        tokens = {}
        for digest in digests:
            text = blobs.load(digest) if isinstance(digest, str) else None
            if text is not None:
                tokens[digest] = estimate_text_tokens(text)
            # A turn that runs goes on meanwhile.
            await asyncio.sleep(0)
        return {"tokens": tokens}

    async def picture(query: Query) -> dict[str, Any]:
        digest = query.text("digest")
        from msgbook.request import small_picture

        blobs = (await session.ready_engine()).request_builder.blobs
        return {"url": await small_picture(blobs.load(digest))}

    queries.on_query("context.sizes", sizes)
    queries.on_query("context.picture", picture)
