"""Summaries that a request needs and nobody has made: the model that answers is asked for them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from contextlib import aclosing

from msgbook.errors import MsgbookError
from msgbook.events import ModelFinished, Notice, TextDelta
from msgbook.notebook.cell_names import describe_cell
from msgbook.notebook.cells import Cell
from msgbook.provider import Provider, Request
from msgbook.request.history import MissingSummary, summary_record, summary_request

_SIDE_BY_SIDE = 4
_NAMED = 5
"""Parts that a notice names."""
Summaries = dict[str, dict[str, str]]
"""As `context.summaries` keeps them."""


def describe_part(cells: Sequence[Cell], missing: MissingSummary) -> str:
    """How a person is told of what is to be summed up."""
    if missing.cell is None:
        return missing.key
    cell = describe_cell(cells, missing.cell)
    return f"a part of {cell}" if "/" in missing.key else cell


async def summarize(
    missing: Sequence[MissingSummary],
    cells: Sequence[Cell],
    model: str,
    provider: Provider,
    say: Callable[[Notice | ModelFinished], None],
) -> Summaries:
    """Ask for all missing summaries, a few at a time. One that fails is a notice.

    Args:
        cells: Those above.
        say: Told what the reader should know, and what each call used.
    """
    if not missing:
        return {}
    wanted = _each_once(missing)
    shown = "; ".join(describe_part(cells, part) for part in wanted[:_NAMED])
    more = f"; {len(wanted) - _NAMED} more" if len(wanted) > _NAMED else ""
    say(Notice(f"Summing up {shown}{more}."))
    places = asyncio.Semaphore(_SIDE_BY_SIDE)

    async def one(part: MissingSummary) -> Summaries:
        async with places:
            try:
                answer = await _answer(part, model, provider, say)
            except MsgbookError as error:
                say(_whole(cells, part, f"could not be summed up and is sent whole: {error}"))
                return {}
        found = summary_record(part, answer)
        if not found:
            say(_whole(cells, part, "got an empty summary and is sent whole."))
        return found

    tasks = [asyncio.ensure_future(one(part)) for part in wanted]
    try:
        made = await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return {key: summary for summaries in made for key, summary in summaries.items()}


def _whole(cells: Sequence[Cell], part: MissingSummary, why: str) -> Notice:
    what = describe_part(cells, part)
    return Notice(f"{what[:1].upper()}{what[1:]} {why}", "warning")


async def _answer(
    part: MissingSummary,
    model: str,
    provider: Provider,
    say: Callable[[Notice | ModelFinished], None],
) -> str:
    words = []
    request = Request(model, summary_request(part.text))
    async with aclosing(provider.stream(request)) as events:
        async for event in events:
            if isinstance(event, TextDelta):
                words.append(event.text)
            elif isinstance(event, ModelFinished):
                say(event)
    return "".join(words)


def _each_once(missing: Iterable[MissingSummary]) -> list[MissingSummary]:
    return list({part.key: part for part in missing}.values())
