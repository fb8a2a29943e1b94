"""The turns of sub-agents that run now: who watches them, and what of them is still to be written."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msgbook.display.turn_view import TurnView
from msgbook.turn import TurnRecord


@dataclass
class RunningTurn:
    """The turn of a sub-agent while it runs; a `TurnView` that shows it to all who watch.

    Belongs to the event loop's thread.
    """

    record: TurnRecord
    file: Path
    """The sub-agent's conversation."""
    cell_id: str
    """Id of its prompt there."""
    views: list[TurnView] = field(default_factory=list)
    """Those that watch; views may be added and removed at any time."""

    def changed(self) -> None:
        for view in list(self.views):
            view.changed()

    def show(self) -> None:
        for view in list(self.views):
            view.show()

    def finish(self) -> None:
        for view in list(self.views):
            view.finish()


class RunningTurns:
    """The running turns of one engine and of those that it made, by the uuid of their agents."""

    def __init__(self) -> None:
        self.turns: dict[str, RunningTurn] = {}
        self._writes: set[asyncio.Task[Any]] = set()

    def write(self, writing: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start to write something that an interrupt must not stop."""
        task = asyncio.ensure_future(writing)
        self._writes.add(task)
        task.add_done_callback(self._writes.discard)
        return task

    async def finish_writing(self) -> None:
        """Wait until everything is written."""
        while self._writes:
            await asyncio.wait(self._writes)
