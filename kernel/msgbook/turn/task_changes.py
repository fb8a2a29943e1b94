"""The changes that a task makes while it runs, for those who show them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any


async def watch_task(task: asyncio.Task[Any], changed: asyncio.Event) -> AsyncGenerator[None]:
    """Yield whenever `changed` is set, until the task is done. The task sets it at its end, too."""
    while not task.done():
        await changed.wait()
        changed.clear()
        yield
