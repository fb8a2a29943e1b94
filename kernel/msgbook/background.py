"""What goes on beside a turn: writes that an interrupt does not end, and sub-agents that are stopped alone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any


class BackgroundWrites:
    """The writes of one session. Belongs to the event loop's thread."""

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


# The sub-agents that run in this process, so that each of them can be stopped alone.


@dataclass(frozen=True, slots=True)
class RunningSubagent:
    """A sub-agent that waits or runs.

    Attributes:
        parent: `uuid` of the agent that started it.
        cell_id: The cell that the parent answers; None if it has no id.
        stop: Stops it and its own sub-agents; may be called from any thread.
    """

    uuid: str
    parent: str
    cell_id: str | None
    stop: Callable[[], object]


class RunningSubagents:
    """The sub-agents of one session, also those that sub-agents have started.

    Attributes:
        changed: Called when one has started or ended.
    """

    def __init__(self) -> None:
        self.changed: Callable[[], object] = lambda: None
        self._running: dict[str, RunningSubagent] = {}

    def add(self, agent: RunningSubagent) -> None:
        """Add one that starts."""
        self._running[agent.uuid] = agent
        self.changed()

    def remove(self, uuid: str) -> None:
        """Remove one that has ended."""
        if self._running.pop(uuid, None) is not None:
            self.changed()

    def by_cell(self) -> list[tuple[str, str | None]]:
        """Return the id of each, with the cell of the conversation above all of its parents."""
        return [(agent.uuid, self._cell_of(agent)) for agent in list(self._running.values())]

    def stop(self, cell_id: str, uuid: str) -> bool:
        """Stop the one with an id; return whether it runs for that cell."""
        agent = self._running.get(uuid)
        if agent is None or self._cell_of(agent) != cell_id:
            return False
        agent.stop()
        return True

    def _cell_of(self, agent: RunningSubagent) -> str | None:
        above = self._running.get(agent.parent)
        # An id is new for each sub-agent, so parents form no circle.
        return agent.cell_id if above is None else self._cell_of(above)
