"""The tool calls of one step: run, asked about, answered. A failure is a result for the model."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from msgbook.events import ToolApproved, ToolFinished
from msgbook.output.record import INTERRUPTED_RESULT, TurnRecord
from msgbook.tools.approval import Approve
from msgbook.tools.base import ApprovalNeededError, Tool, ToolError, ToolSet
from msgbook.turn.limits import Breaker, Meter
from msgbook_format.turn import Block


@dataclass(frozen=True, slots=True)
class _Outcome:
    status: str
    content: str | list[dict[str, Any]]
    duration: float = 0.0
    not_free: str = ""
    """Why somebody has to allow the call first; nothing has been done then."""


@dataclass(frozen=True, slots=True)
class CallRunner:
    """Runs the calls of a turn into its record.

    Args:
        redact: Takes out of a result what must not be shown or sent on.
        clock: Monotonic seconds.
        meter: Cuts a tool off when the time is over.
        breaker: Told of each outcome; no further call starts after it has tripped.
    """

    record: TurnRecord
    tools: ToolSet
    approve: Approve
    redact: Callable[[str], str]
    clock: Callable[[], float]
    meter: Meter
    breaker: Breaker

    async def run(self, calls: list[Block]) -> AsyncGenerator[None]:
        """Run the calls, yielding after each change of the record.

        Neighbouring calls that only read run side by side, others one by one; results come in the
        order of the calls. Closing the iterator cancels what runs and keeps what has finished.
        """
        for reads, neighbours in groupby(calls, self._only_reads):
            for group in [list(neighbours)] if reads else [[call] for call in neighbours]:
                async with aclosing(self._side_by_side(group)) as happenings:
                    async for _ in happenings:
                        yield
                if self.breaker.tripped or self.meter.spent:
                    return

    async def _side_by_side(self, group: list[Block]) -> AsyncGenerator[None]:
        for call in group:
            if self._tool(call) is not None:
                self._say(ToolApproved(call["id"], "auto"))
        running = [(call, asyncio.ensure_future(self._attempt(call))) for call in group]
        try:
            yield
            while running:
                call, task = running[0]
                outcome = await task
                if outcome.not_free:
                    self._say(ToolApproved(call["id"], "pending"))
                    yield
                    with self.meter.paused():
                        decision = await self.approve(call, outcome.not_free)
                    self._say(ToolApproved(call["id"], decision.approval))
                    yield
                    if decision.approval == "denied":
                        outcome = _Outcome("denied", decision.reason)
                    else:
                        outcome = await self._attempt(call, approved=True)
                del running[0]
                self._finish(call, outcome)
                yield
                if self.breaker.tripped:
                    return
        finally:
            for _, task in running:
                task.cancel()
            await asyncio.gather(*(task for _, task in running), return_exceptions=True)
            for call, task in running:
                if not task.cancelled() and not task.result().not_free:
                    self._finish(call, task.result())

    async def _attempt(self, call: Block, *, approved: bool = False) -> _Outcome:
        started = self.clock()
        limit = asyncio.timeout(self.meter.time_left)
        try:
            async with limit:
                tool = self.tools.find(call["name"])
                content = await tool.call(call["arguments"], approved=approved)
            outcome = _Outcome("success", content)
        except ApprovalNeededError as reason:
            return _Outcome("denied", "", not_free=str(reason) or "it is not free")
        except ToolError as error:
            outcome = _Outcome("error", str(error))
        except (Exception, SystemExit) as error:  # a tool is anybody's code
            outcome = _Outcome("error", f"{type(error).__name__}: {error}")
            if limit.expired():
                self.meter.run_out()
                outcome = _Outcome("interrupted", INTERRUPTED_RESULT)
        return replace(
            outcome, content=self._redacted(outcome.content), duration=self.clock() - started
        )

    def _finish(self, call: Block, outcome: _Outcome) -> None:
        self._say(ToolFinished(call["id"], outcome.status, outcome.content, outcome.duration))
        self.breaker.take(call["name"], call["arguments"], outcome.status)

    def _say(self, event: ToolApproved | ToolFinished) -> None:
        self.record.apply(event, self.clock())

    def _tool(self, call: Block) -> Tool | None:
        try:
            return self.tools.find(call["name"])
        except ToolError:
            return None

    def _only_reads(self, call: Block) -> bool:
        return bool(getattr(self._tool(call), "read_only", False))

    def _redacted(self, content: str | list[dict[str, Any]]) -> str | list[dict[str, Any]]:
        if isinstance(content, str):
            return self.redact(content)
        return [
            {**part, "text": self.redact(part["text"])} if "text" in part else part
            for part in content
        ]
