"""Model calls that make the missing summaries of a request, with the model that answers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import aclosing

from msgbook.config.limits import Limits
from msgbook.errors import MsgbookError
from msgbook.events import ModelChosen, ModelFinished, Notice, TextDelta
from msgbook.notebook import Cell, describe_cell
from msgbook.provider import Provider, Request
from msgbook.request.history import MissingSummary, summary_record, summary_request
from msgbook.text import join_first
from msgbook.turn import AnswerSize

_MAX_PARALLEL = 4
_MAX_NAMES = 5
"""Parts that a notice names."""

Summaries = dict[str, dict[str, str]]
"""New summaries, as `context.summaries` records them."""


def describe_part(cells: Sequence[Cell], missing: MissingSummary, parts: int = 1) -> str:
    """Return a name for the cell, or the part of a cell, that has to be summarized.

    Args:
        parts: How many parts of that cell the name stands for.
    """
    if missing.cell is None:
        return missing.key
    cell = describe_cell(cells, missing.cell)
    if "/" not in missing.key:
        return cell
    return f"{parts} parts of {cell}" if parts > 1 else f"a part of {cell}"


async def summarize(
    missing: Sequence[MissingSummary],
    cells: Sequence[Cell],
    model: str,
    provider: Provider,
    notify: Callable[[Notice | ModelChosen | ModelFinished], None],
) -> Summaries:
    """Call the model for each missing summary, a few at a time. A failure is a notice.

    Args:
        cells: The cells above.
        notify: Gets notices for the reader, the model that answers instead, and the usage of each call.
    """
    if not missing:
        return {}
    parts = list({part.key: part for part in missing}.values())
    notify(Notice(f"Summarizing {_describe_parts(cells, parts)}."))
    free_calls = asyncio.Semaphore(_MAX_PARALLEL)

    async def summarize_part(part: MissingSummary) -> Summaries:
        async with free_calls:
            try:
                answer = await _call_model(part, model, provider, notify)
            except MsgbookError as error:
                reason = f"could not be summarized and is {_instead(part)}: {error}"
                notify(_warn_of_missing(cells, part, reason))
                return {}
        summaries = summary_record(part, answer)
        if not summaries:
            notify(_warn_of_missing(cells, part, f"got an empty summary and is {_instead(part)}."))
        return summaries

    tasks = [asyncio.ensure_future(summarize_part(part)) for part in parts]
    try:
        made = await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return {key: summary for summaries in made for key, summary in summaries.items()}


def _describe_parts(cells: Sequence[Cell], parts: Sequence[MissingSummary]) -> str:
    """Return names for cells and parts of cells; one name for all parts of the same cell."""
    numbers: dict[str, int] = {}
    first: dict[str, MissingSummary] = {}
    for part in parts:
        name = describe_part(cells, part)
        numbers[name] = numbers.get(name, 0) + 1
        first.setdefault(name, part)
    names = [describe_part(cells, part, numbers[name]) for name, part in first.items()]
    return join_first(names, _MAX_NAMES, "; ")


def _instead(part: MissingSummary) -> str:
    return "left out" if part.is_left_out else "sent in full"


def _warn_of_missing(cells: Sequence[Cell], part: MissingSummary, reason: str) -> Notice:
    name = describe_part(cells, part)
    return Notice(f"{name[:1].upper()}{name[1:]} {reason}", "warning")


async def _call_model(
    part: MissingSummary,
    model: str,
    provider: Provider,
    notify: Callable[[Notice | ModelChosen | ModelFinished], None],
) -> str:
    texts, size = [], AnswerSize(Limits().answer_limit)
    request = Request(model, summary_request(part.text))
    async with aclosing(provider.stream(request)) as events:
        async for whole in events:
            event = size.fit(whole)
            if isinstance(event, TextDelta):
                texts.append(event.text)
            elif isinstance(event, Notice | ModelChosen | ModelFinished):
                notify(event)
            if size.notice:
                break
    return "".join(texts)
