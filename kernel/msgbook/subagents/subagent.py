"""One sub-agent, from its start to its end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace

from msgbook.approval import Answer, Ask, Question
from msgbook.display.failure import Failure, log_internal_error
from msgbook.engine import Engine
from msgbook.lanes import LANE
from msgbook.subagents.conversation import Conversation
from msgbook.subagents.parent import Parent
from msgbook.subagents.planning import Plan
from msgbook.turn import TurnRecord
from msgbook_format.turn import Turn


@dataclass(slots=True)
class Subagent:
    """A sub-agent and how far it is.

    Args:
        engine: Its own, from `Engine.for_subagent`.
        file: Its conversation, relative to the folder that its parent works in.
        link: The same, relative to the folder with its parent's file.
        lane: Its place among the turns, for `msgbook.lanes`.
        changed: Called after each change.
    """

    parent: Parent
    plan: Plan
    uuid: str
    engine: Engine
    record: TurnRecord
    conversation: Conversation
    file: str
    link: str
    lane: str
    changed: Callable[[], None] = lambda: None
    state: str = "pending"
    """`pending` or `running` before its end; then the status of its turn, or `deleted`."""
    is_stopped: bool = False
    """Whether a person stopped it, and not its whole parent."""
    failure: Failure | None = None
    started: float | None = None
    """Time of its start, on the engine's clock."""
    ended: float | None = None

    @property
    def turn(self) -> Turn:
        """Its turn as it is now."""
        return self.record.snapshot()

    @property
    def is_under_way(self) -> bool:
        """True until its turn has ended."""
        return self.state in ("pending", "running")

    async def run(self, slots: asyncio.Semaphore) -> None:
        """Run its turn, once there is a slot, and write its file. A cancellation ends it."""
        try:
            async with slots:
                if not self.conversation.check_deleted():
                    await self._run()
        except asyncio.CancelledError:
            self.state = "interrupted"
            raise
        except Exception as error:
            self.failure = log_internal_error(error, self.engine.settings.secrets)
            self.state = "error"
        finally:
            if self.conversation.is_deleted:
                self.state = "deleted"
            self.ended = self.engine.clock()
            self.changed()

    async def _run(self) -> None:
        LANE.set(self.lane)
        self.state, self.started = "running", self.engine.clock()
        ended = await self.parent.run_turn(
            self.engine,
            self.conversation.source,
            self.conversation.read_transcript,
            self.record,
            _SubagentView(self),
            self._asker(),
            within=self.parent.budgets,
        )
        self.state, self.failure = ended.turn["status"], ended.failure
        writing = self.conversation.end(ended.failure)
        self.changed()
        if not _is_cancelled():
            await asyncio.shield(writing)

    def _asker(self) -> Ask | None:
        """Return a function that asks where the parent's questions are answered."""
        parent_ask = self.parent.ask
        if parent_ask is None:
            return None

        async def ask(question: Question) -> Answer | None:
            call = question.call
            if not question.asker:
                call = {**call, "id": f"{self.uuid}/{call['id']}"}
            named = replace(question, call=call, asker=(self.plan.name, *question.asker))
            with self.parent.budgets.paused():
                return await parent_ask(named)

        return ask


class _SubagentView:
    """A `TurnView` that writes the file of a sub-agent and its parent's row."""

    def __init__(self, subagent: Subagent) -> None:
        self._subagent = subagent

    def changed(self) -> None:
        self._subagent.conversation.changed()
        self._subagent.changed()

    def show(self) -> None:
        self.changed()

    def finish(self) -> None:
        self._subagent.changed()


def _is_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
