"""Summaries that a request needs and nobody has made: the model that answers is asked for them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from contextlib import aclosing

from msgbook.errors import MsgbookError
from msgbook.events import ModelFinished, Notice, TextDelta
from msgbook.history import Missing, summary_record, summary_request
from msgbook.provider.base import Provider, Request
from msgbook.text import counted

_SIDE_BY_SIDE = 4
Summaries = dict[str, dict[str, str]]
"""As `context.summaries` keeps them."""


async def sum_up(
    missing: Sequence[Missing],
    model: str,
    provider: Provider,
    say: Callable[[Notice | ModelFinished], None],
) -> Summaries:
    """Ask for all missing summaries, a few at a time. One that fails is a notice.

    Args:
        say: Told what the reader should know, and what each call used.
    """
    if not missing:
        return {}
    say(Notice(f"Summing up {counted(len(missing), 'part')} of the conversation."))
    places = asyncio.Semaphore(_SIDE_BY_SIDE)

    async def one(part: Missing) -> Summaries:
        async with places:
            try:
                answer = await _answer(part, model, provider, say)
            except MsgbookError as error:
                why = f"could not be summed up and is sent whole: {error}"
                say(Notice(f"Cell {part.key} {why}", "warning"))
                return {}
        found = summary_record(part, answer)
        if not found:
            say(Notice(f"Cell {part.key} got an empty summary and is sent whole.", "warning"))
        return found

    tasks = [asyncio.ensure_future(one(part)) for part in _each_once(missing)]
    try:
        made = await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return {key: summary for summaries in made for key, summary in summaries.items()}


async def _answer(
    part: Missing,
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


def _each_once(missing: Iterable[Missing]) -> list[Missing]:
    return list({part.key: part for part in missing}.values())
