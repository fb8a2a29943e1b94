"""The tool calls of one step: they run, after approval if they need it, and each gets a result.

A failure is a result for the model.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from typing import Any

from msgbook.approval import ApprovalRequest, ApprovalRequiredError, Approve, Decision, Question
from msgbook.errors import ToolError, describe_foreign_error
from msgbook.events import (
    ToolApproved,
    ToolEdited,
    ToolFinished,
    ToolOutput,
    ToolStarted,
    ToolUpdated,
    TurnEvent,
)
from msgbook.messages import with_texts
from msgbook.text import join_first, one_line
from msgbook.tools import CallContext, Content, Displays, Tool, ToolSet
from msgbook.turn.call_results import INTERRUPTED_RESULT, call_to_run, decide
from msgbook.turn.limits import HOW_TO_CONTINUE, Budgets
from msgbook.turn.record import TurnRecord
from msgbook_format.turn import Block, match_results

# One attempt to run a tool call, and how attempts are made.


@dataclass(frozen=True, slots=True)
class Attempt:
    """Result of one attempt to run a call."""

    status: str
    content: Content
    duration: float = 0.0
    displays: Sequence[dict[str, Any]] = ()
    """MIME bundles that the tool displays to the reader."""
    notice: str = ""
    """What of its displays is left out; empty if nothing is."""
    approval_request: ApprovalRequest | None = None
    """Set if the call needs approval. It has done nothing then."""
    questions: int = 0
    """Number of questions that a person was asked about the call."""


RunCall = Callable[[Block, Callable[[], Awaitable[Attempt]]], Awaitable[Attempt]]
"""Makes an attempt: a cassette keeps its result, or returns the result that it has kept instead."""


async def run_now(_call: Block, run: Callable[[], Awaitable[Attempt]]) -> Attempt:
    """Run the call."""
    return await run()


LIVE_OUTPUT = 20_000
"""Characters shown of a running tool's output, counted from its end: as many as its result has."""

_MAX_QUESTIONS = 3
"""A call is denied after so many questions if its effect changes each time it is approved."""

_KEEPS_CHANGING = "Denied: what the call would do changed each time after it was approved."

CapResult = Callable[[Content, bool], Content]
"""Cuts a result down to what a request can carry; the flag says whether the call was approved."""


@dataclass(frozen=True, slots=True)
class CallRunner:
    """Runs the calls of a turn into its record.

    Args:
        redact: Removes secrets from a result.
        clock: Returns monotonic seconds.
        budgets: A tool is stopped when the time budget is used up.
        repeated: Counts the results. No further call starts once a failure has repeated too often.
        run_call: Makes each attempt to run a call of a recorded tool.
    """

    record: TurnRecord
    tools: ToolSet
    approve: Approve
    redact: Callable[[str], str]
    cap_result: CapResult
    clock: Callable[[], float]
    budgets: Budgets
    repeated: RepeatedCalls
    run_call: RunCall = run_now

    async def run(self, calls: list[Block]) -> AsyncGenerator[None]:
        """Run the calls, yielding after each change of the record.

        Neighbouring calls that only read run side by side, other calls one by one. Results come in
        the order of the calls. Closing the iterator cancels the running calls and keeps the results
        of those that have finished.
        """
        for reads, neighbours in groupby(calls, self._only_reads):
            for group in [list(neighbours)] if reads else [[call] for call in neighbours]:
                async with aclosing(self._side_by_side(group)) as changes:
                    async for _ in changes:
                        yield
                if self.repeated.notice or self.budgets.notice:
                    return

    async def _side_by_side(self, group: list[Block]) -> AsyncGenerator[None]:
        for call in group:
            self._apply(ToolStarted(call["id"]))
        changed = asyncio.Event()
        running = [(call, self._start(call, changed)) for call in group]
        try:
            yield
            while running:
                call, task = running[0]
                async with aclosing(watch_task(task, changed)) as changes:
                    async for _ in changes:
                        yield
                attempt = task.result()
                if attempt.approval_request and attempt.questions < _MAX_QUESTIONS:
                    self._apply(ToolApproved(call["id"], "pending"))
                    yield
                    decision = await self._decide(call, attempt.approval_request)
                    self._apply(
                        ToolEdited(call["id"], decision.arguments)
                        if decision.approval == "edited"
                        else ToolApproved(call["id"], decision.approval)
                    )
                    if decision.approval != "denied":
                        approved = None if decision.approval == "edited" else attempt
                        running[0] = (call, self._start(call, changed, approved))
                        yield
                        continue
                    attempt = Attempt("denied", decision.reason)
                del running[0]
                self._finish(call, attempt)
                yield
                if self.repeated.notice:
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
                    self._apply(ToolApproved(call["id"], "pending"))

    async def _decide(self, call: Block, needed: ApprovalRequest) -> Decision:
        shown = self._redacted_request(needed)
        edited = "edited_arguments" in call
        question = Question(call_to_run(call), shown, can_edit=True, is_edited=edited)
        with self.budgets.paused():
            return await decide(question, self.tools.find(call["name"]), self.approve)

    def _start(
        self, call: Block, changed: asyncio.Event, previous: Attempt | None = None
    ) -> asyncio.Task[Attempt]:
        """Start a call. `changed` is set when the tool produces output and when it ends."""
        shown = ""

        def show(text: str) -> None:
            nonlocal shown
            # A secret may arrive in two pieces, so both are searched together.
            shown = (shown + text)[-2 * LIVE_OUTPUT :]
            self._record_auto(call)
            self._apply(ToolOutput(call["id"], self.redact(shown)[-LIVE_OUTPUT:]))
            changed.set()

        def update(changes: dict[str, Any]) -> None:
            self._record_auto(call)
            self._apply(ToolUpdated(call["id"], changes))
            changed.set()

        approved = previous.approval_request if previous else None
        context = CallContext(approved, show, call["id"], update)
        questions = previous.questions + 1 if previous else 0
        task = asyncio.ensure_future(self._run(call_to_run(call), context, questions))
        task.add_done_callback(lambda _: changed.set())
        return task

    async def _run(self, call: Block, context: CallContext, questions: int) -> Attempt:
        tool = self._tool(call)
        run_call = self.run_call if tool is None or tool.is_recorded(call["arguments"]) else run_now
        attempt = await run_call(call, partial(self._attempt, call, context))
        if attempt.status == "interrupted":
            self.budgets.run_out()
        return replace(attempt, questions=questions)

    async def _attempt(self, call: Block, context: CallContext) -> Attempt:
        started = self.clock()
        displays = Displays(self.redact)
        context = replace(context, display=displays.add)
        limit = None
        try:
            tool = self.tools.find(call["name"])
            async with nullcontext() if tool.keeps_time else self.budgets.timeout() as limit:
                content = await tool.call(call["arguments"], context)
            attempt = Attempt("success", content)
        except ApprovalRequiredError as error:
            return Attempt("denied", _KEEPS_CHANGING, approval_request=error.approval_request)
        except ToolError as error:
            attempt = Attempt("error", str(error))
        except asyncio.CancelledError:
            if _is_cancelled():
                raise
            attempt = Attempt("error", "The tool cancelled itself.")
        except BaseException as error:  # a tool is code of any author
            attempt = Attempt("error", describe_foreign_error(error))
            if limit is not None and limit.expired():
                attempt = Attempt("interrupted", INTERRUPTED_RESULT)
        return replace(
            attempt,
            content=self.cap_result(
                with_texts(attempt.content, self.redact), context.approved is not None
            ),
            duration=self.clock() - started,
            displays=displays.kept,
            notice=displays.notice,
        )

    def _finish(self, call: Block, attempt: Attempt) -> None:
        if self._tool(call) is not None:
            self._record_auto(call)
        shown = (attempt.duration, attempt.displays, attempt.notice)
        self._apply(ToolFinished(call["id"], attempt.status, attempt.content, *shown))
        self.repeated.add(call["name"], call_to_run(call)["arguments"], attempt.status)

    def _record_auto(self, call: Block) -> None:
        """Record that a call ran without approval, unless a decision is recorded already."""
        if "approval" not in call:
            self._apply(ToolApproved(call["id"], "auto"))

    def _apply(self, event: TurnEvent) -> None:
        self.record.apply(event, self.clock())

    def _tool(self, call: Block) -> Tool | None:
        try:
            return self.tools.find(call["name"])
        except ToolError:
            return None

    def _only_reads(self, call: Block) -> bool:
        tool = self._tool(call)
        return tool is not None and tool.read_only

    def _redacted_request(self, request: ApprovalRequest) -> ApprovalRequest:
        """Return the request as a person sees it. What is approved is the original request."""
        reason, preview = self.redact(request.reason), self.redact(request.preview)
        return request._replace(reason=reason, preview=preview)


def _is_cancelled() -> bool:
    """Return whether the running task has been cancelled from outside."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


# Calls that a model makes again and again. Pure.


REPEATED_CALLS = 3
"""Number of times in a row that the same call may fail, or get the same result; then the turn ends. The second may be
an attempt after a repair, the third is a loop."""

_NAMED, _NAME_LENGTH = 3, 64


class RepeatedCalls:
    """Counts of what repeats in a row: the failures of one call, and whole steps.

    A failure counts with each call, because the next one would fail as well. Other results count
    step by step, because the model has not seen those of a step when it makes the step's calls: a
    step repeats if it makes the same calls as the one before, with the same results.
    """

    def __init__(self) -> None:
        self._failed: tuple[str, str] | None = None
        self._failures = 0
        self._step: list[Any] = []
        self._steps = 0

    def add(self, name: str, arguments: str, status: str) -> None:
        """Count the result of a call."""
        failed = (name, arguments) if status in ("error", "denied") else None
        is_same = failed is not None and failed == self._failed
        self._failures = self._failures + 1 if is_same else 1
        self._failed = failed

    def end_step(self, blocks: Sequence[Block]) -> None:
        """Count a step, given its blocks."""
        results = match_results(blocks)
        step = [
            tuple(blocks[call].get(key) for key in ("name", "arguments"))
            + tuple(blocks[result].get(key) for key in ("status", "content"))
            for call, result in sorted(results.items())
        ]
        self._steps = self._steps + 1 if step and step == self._step else 1
        self._step = step

    @property
    def notice(self) -> str | None:
        """Notice that a call was repeated too often; None while the turn may continue."""
        if self._failed is not None and self._failures >= REPEATED_CALLS:
            return (
                f"The model made the same failing call of {_shown(self._failed[0])} {REPEATED_CALLS} "
                f"times in a row, so the turn has ended. {HOW_TO_CONTINUE}"
            )
        if self._step and self._steps >= REPEATED_CALLS:
            return (
                f"The model made the same {self._step_words()} {REPEATED_CALLS} times in a row and "
                f"got the same result each time, so the turn has ended. {HOW_TO_CONTINUE}"
            )
        return None

    def _step_words(self) -> str:
        names = [_shown(name) for name, *_ in self._step]
        calls = "call" if len(names) == 1 else f"{len(names)} calls"
        return f"{calls} of {join_first(list(dict.fromkeys(names)), _NAMED)}"


def _shown(name: Any) -> str:
    return one_line(repr(name), _NAME_LENGTH)


# The changes that a task makes while it runs, for those who show them.


async def watch_task(task: asyncio.Task[Any], changed: asyncio.Event) -> AsyncGenerator[None]:
    """Yield whenever `changed` is set, until the task is done. The task sets it at its end, too."""
    while not task.done():
        await changed.wait()
        changed.clear()
        yield
