"""Writes that go on when the turn that began them is interrupted."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any


class BackgroundWrites:
    """The writes of one engine and of those that it made. Belongs to the event loop's thread."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    def start(self, writing: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start to write something that an interrupt must not stop."""
        task = asyncio.ensure_future(writing)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def finish(self) -> None:
        """Wait until everything is written."""
        while self._tasks:
            await asyncio.wait(self._tasks)
