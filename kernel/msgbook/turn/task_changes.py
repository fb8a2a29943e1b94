"""The changes that a task makes while it runs, for those who show them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any


async def watch_task(task: asyncio.Task[Any], changed: asyncio.Event) -> AsyncGenerator[None]:
    """Yield whenever `changed` is set, until the task is done. The task sets it at its end, too."""
    while not task.done():
        await changed.wait()
        changed.clear()
        yield


async def run_watched(task: asyncio.Task[Any], changed: asyncio.Event) -> AsyncGenerator[None]:
    """Yield whenever `changed` is set, until the task is done. Closing the iterator cancels it."""
    task.add_done_callback(lambda _: changed.set())
    try:
        async with aclosing(watch_task(task, changed)) as changes:
            async for _ in changes:
                yield
    finally:
        if not task.done():
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
