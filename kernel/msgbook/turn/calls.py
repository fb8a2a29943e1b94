"""The tool calls of one step: run, asked about, answered. A failure is a result for the model."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass, replace
from itertools import groupby

from msgbook.approval import ApprovalRequest, ApprovalRequiredError, Approve, Question
from msgbook.errors import ToolError
from msgbook.events import ToolApproved, ToolFinished, ToolOutput, ToolStarted
from msgbook.tools import CallContext, Content, Tool, ToolSet
from msgbook.turn.following import until_done
from msgbook.turn.limits import Breaker, Meter
from msgbook.turn.record import TurnRecord
from msgbook.turn.stopped_calls import INTERRUPTED_RESULT
from msgbook_format.turn import Block

LIVE_OUTPUT = 20_000
"""Characters of a running tool's output that are shown: the last ones."""

_MAX_QUESTIONS = 3
"""A call is denied after so many questions if its effect changes each time it is approved."""

_KEEPS_CHANGING = "Denied: what the call would do changed each time after it was approved."


Bound = Callable[[Content, bool], Content]
"""Cuts a result down to what a request can carry; told whether the call was approved."""


@dataclass(frozen=True, slots=True)
class _Outcome:
    status: str
    content: Content
    duration: float = 0.0
    approval_request: ApprovalRequest | None = None
    """Set if the call needs approval; it has done nothing then."""
    asked: int = 0
    """How often somebody has been asked about the call."""


@dataclass(frozen=True, slots=True)
class CallRunner:
    """Runs the calls of a turn into its record.

    Args:
        redact: Takes out of a result what must not be shown or sent on.
        bound: Cuts a result down to what a request can carry; told whether the call was approved.
        clock: Monotonic seconds.
        meter: Cuts a tool off when the time is over.
        breaker: Told of each outcome; no further call starts after it has tripped.
    """

    record: TurnRecord
    tools: ToolSet
    approve: Approve
    redact: Callable[[str], str]
    bound: Bound
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
            self._say(ToolStarted(call["id"]))
        news = asyncio.Event()
        running = [(call, self._start(call, news)) for call in group]
        try:
            yield
            while running:
                call, task = running[0]
                async with aclosing(until_done(task, news)) as happenings:
                    async for _ in happenings:
                        yield
                outcome = task.result()
                if outcome.approval_request and outcome.asked < _MAX_QUESTIONS:
                    self._say(ToolApproved(call["id"], "pending"))
                    yield
                    with self.meter.paused():
                        question = Question(call, self._redacted_request(outcome.approval_request))
                        decision = await self.approve(question)
                    self._say(ToolApproved(call["id"], decision.approval))
                    if decision.approval != "denied":
                        running[0] = (call, self._start(call, news, outcome))
                        yield
                        continue
                    outcome = _Outcome("denied", decision.reason)
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
                if task.cancelled():
                    continue
                if not task.result().approval_request:
                    self._finish(call, task.result())
                elif "approval" not in call:
                    self._say(ToolApproved(call["id"], "pending"))

    def _start(
        self, call: Block, news: asyncio.Event, before: _Outcome | None = None
    ) -> asyncio.Task[_Outcome]:
        """Begin to run a call; `news` is set at its output and its end."""

        shown = ""

        def show(text: str) -> None:
            nonlocal shown
            # A secret may come in two pieces, so that they are looked through together.
            shown = (shown + text)[-2 * LIVE_OUTPUT :]
            self._say_auto(call)
            self._say(ToolOutput(call["id"], self.redact(shown)[-LIVE_OUTPUT:]))
            news.set()

        context = CallContext(before.approval_request if before else None, show)
        asked = before.asked + 1 if before else 0
        task = asyncio.ensure_future(self._attempt(call, context, asked))
        task.add_done_callback(lambda _: news.set())
        return task

    async def _attempt(self, call: Block, context: CallContext, asked: int) -> _Outcome:
        started = self.clock()
        limit = asyncio.timeout(self.meter.time_left)
        try:
            async with limit:
                tool = self.tools.find(call["name"])
                content = await tool.call(call["arguments"], context)
            outcome = _Outcome("success", content)
        except ApprovalRequiredError as error:
            return _Outcome(
                "denied", _KEEPS_CHANGING, approval_request=error.approval_request, asked=asked
            )
        except ToolError as error:
            outcome = _Outcome("error", str(error))
        except asyncio.CancelledError:
            if _is_cancelled():
                raise
            outcome = _Outcome("error", "The tool cancelled itself.")
        except BaseException as error:  # a tool is anybody's code
            outcome = _Outcome("error", f"{type(error).__name__}: {error}")
            if limit.expired():
                self.meter.run_out()
                outcome = _Outcome("interrupted", INTERRUPTED_RESULT)
        return replace(
            outcome,
            content=self.bound(self._redacted(outcome.content), context.approved is not None),
            duration=self.clock() - started,
        )

    def _finish(self, call: Block, outcome: _Outcome) -> None:
        if self._tool(call) is not None:
            self._say_auto(call)
        self._say(ToolFinished(call["id"], outcome.status, outcome.content, outcome.duration))
        self.breaker.take(call["name"], call["arguments"], outcome.status)

    def _say_auto(self, call: Block) -> None:
        """Record that a call ran without approval, unless a decision is recorded."""
        if "approval" not in call:
            self._say(ToolApproved(call["id"], "auto"))

    def _say(self, event: ToolStarted | ToolApproved | ToolOutput | ToolFinished) -> None:
        self.record.apply(event, self.clock())

    def _tool(self, call: Block) -> Tool | None:
        try:
            return self.tools.find(call["name"])
        except ToolError:
            return None

    def _only_reads(self, call: Block) -> bool:
        tool = self._tool(call)
        return tool is not None and tool.read_only

    def _redacted_request(self, asked: ApprovalRequest) -> ApprovalRequest:
        """Return a request as a person is shown it; the original one is what is approved."""
        reason, preview = self.redact(asked.reason), self.redact(asked.preview)
        return asked._replace(reason=reason, preview=preview)

    def _redacted(self, content: Content) -> Content:
        if isinstance(content, str):
            return self.redact(content)
        return [
            {**part, "text": self.redact(part["text"])} if "text" in part else part
            for part in content
        ]


def _is_cancelled() -> bool:
    """Whether somebody wants the running task to end."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
