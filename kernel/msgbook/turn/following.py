"""Work that goes on while others look at what it has done so far."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any


async def until_done(task: asyncio.Task[Any], news: asyncio.Event) -> AsyncGenerator[None]:
    """Yield whenever there are news, until the task is done; its end has to be news, too."""
    while not task.done():
        await news.wait()
        news.clear()
        yield


async def followed(task: asyncio.Task[Any], news: asyncio.Event) -> AsyncGenerator[None]:
    """Yield whenever there are news, until the task is done; closing the iterator cancels it."""
    task.add_done_callback(lambda _: news.set())
    try:
        async with aclosing(until_done(task, news)) as happenings:
            async for _ in happenings:
                yield
    finally:
        if not task.done():
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
