"""The request of a prompt, what messages have brought, and what turns have used, as a page lists them."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

from msgbook.kernel.page.queries import Query, QueryError
from msgbook.notebook import RequestedCell, Transcript

if TYPE_CHECKING:
    from collections.abc import Sequence

    from msgbook.kernel.page_queries.shown_request import ShownRequest
    from msgbook.kernel.session import Session
    from msgbook.notebook import Cell
    from msgbook.request.history import StaleTurn


async def describe_request(session: Session, query: Query) -> dict[str, Any]:
    """Answer `context.request`: the request of a cell of the page. Nothing is sent, and nothing runs."""
    return (await _preview(query, session)).as_json()


async def message_text(session: Session, query: Query) -> dict[str, Any]:
    """Answer `context.message`: the whole text of one message of the request."""
    from msgbook.text import visible

    index = query.params.get("index")
    shown = await _preview(query, session)
    texts = shown.messages
    if type(index) is not int or not 0 <= index < len(texts):
        raise QueryError("The request has changed and no longer has this message.")
    return {"text": visible(texts[index].text, keep="\n\t"), "hash": shown.hash}


async def request_body(session: Session, query: Query) -> dict[str, Any]:
    """Answer `context.body`: what would be sent."""
    shown = await _preview(query, session)
    return {"body": shown.body}


async def _preview(query: Query, session: Session) -> ShownRequest:
    """Return the request of a cell: of the prompt in it, else of a prompt below it."""
    from msgbook.kernel.page_queries.shown_request import preview_cell

    return await preview_cell(await session.ready_conversation(), await read_cells(query, session))


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


_LIMIT = 200
"""Digests of one query; a message refers to tens of texts."""


async def text_sizes(session: Session, query: Query) -> dict[str, Any]:
    """Answer `context.sizes`: the estimated tokens of each text that is still kept."""
    digests = query.params.get("digests")
    if not isinstance(digests, list) or len(digests) > _LIMIT:
        raise QueryError(f"`digests` has to be a list of at most {_LIMIT} digests.")
    from msgbook.request import estimate_text_tokens

    blobs = (await session.ready_conversation()).request_builder.blobs
    tokens = {}
    for digest in digests:
        text = blobs.load(digest) if isinstance(digest, str) else None
        if text is not None:
            tokens[digest] = estimate_text_tokens(text)
        # A turn that runs goes on meanwhile.
        await asyncio.sleep(0)
    return {"tokens": tokens}


async def shown_picture(session: Session, query: Query) -> dict[str, Any]:
    """Answer `context.picture`: a small picture."""
    digest = query.text("digest")
    from msgbook.request import small_picture

    blobs = (await session.ready_conversation()).request_builder.blobs
    return {"url": await small_picture(blobs.load(digest))}


async def total_usage(session: Session, query: Query) -> dict[str, Any]:
    """Answer `usage.total`: the tokens of the cells through one of the page, and the context window below it."""
    from msgbook.config.known_models import ready
    from msgbook.kernel.page_queries.shown_request import window_share
    from msgbook.magics.overview import add_up, cost_by, price_source
    from msgbook.notebook import usage_of_cell

    transcript = await read_cells(query, session)
    conversation = await session.ready_conversation()
    current = [transcript.current] if transcript.current else []
    cells = [*transcript.earlier, *current]
    turns = [usage for cell in cells for usage in usage_of_cell(cell)]
    settings = conversation.services.settings
    if turns:
        await ready()
    sums = add_up(turns, cost_by(settings))
    share = await window_share(conversation, transcript)
    source = price_source(turns, settings)
    return {
        "turns": len(turns),
        "prices": source and source._asdict(),
        "window_share": share,
        **{key: total._asdict() for key, total in sums.items()},
    }


async def list_stale_turns(session: Session, query: Query) -> dict[str, Any]:
    """Answer `stale.list`: the stale turns from the first cell through one of the page."""
    requested = RequestedCell(
        "", cell_id=query.text("cell_id"), client_session=query.client_session
    )
    conversation = await session.ready_conversation()
    transcript = await session.transcripts.read(requested)
    if transcript.source != "live" or transcript.current is None:
        raise QueryError("The page did not send its cells: it may be busy. Try again.")
    from msgbook.magics.history import find_stale_turns

    cells = [*transcript.earlier, transcript.current]
    found = await find_stale_turns(conversation, replace(transcript, earlier=cells))
    return {"groups": _groups(cells, found)}


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
                "sure": [id_of(cells[position]) for position in turns[0].sure],
                "is_moved": turns[0].is_moved,
            }
        )
    return groups
