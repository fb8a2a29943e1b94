"""The waits before a server is asked again, which a person can end."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextvars import ContextVar

_CELL: ContextVar[str | None] = ContextVar("CELL", default=None)
"""The cell whose turn waits. Tasks that the turn starts, such as those of its sub-agents, inherit it."""


class Waits:
    """Waits of all requests of one session.

    Args:
        sleep: Waits some seconds.
    """

    def __init__(self, sleep: Callable[[float], Awaitable[None]]) -> None:
        self._sleep = sleep
        self._open: dict[asyncio.Future[None], str | None] = {}

    def begin_turn(self, cell_id: str | None) -> None:
        """Note whose turn the running task begins."""
        _CELL.set(cell_id)

    async def sleep(self, seconds: float) -> bool:
        """Wait some seconds; return whether `end` was called meanwhile."""
        ended = asyncio.get_running_loop().create_future()
        sleeping = asyncio.ensure_future(self._sleep(seconds))
        self._open[ended] = _CELL.get()
        try:
            await asyncio.wait([ended, sleeping], return_when=asyncio.FIRST_COMPLETED)
            if not ended.done():
                await sleeping
            return ended.done()
        finally:
            del self._open[ended]
            sleeping.cancel()

    def end(self, cell_id: str | None) -> bool:
        """End the waits of the turn of a cell now; return whether there was one.

        Call it in the event loop's thread.
        """
        waiting = [wait for wait, cell in self._open.items() if cell == cell_id and not wait.done()]
        for wait in waiting:
            wait.set_result(None)
        return bool(waiting)
