"""The loop of a turn: call the model, run its tool calls, call the model again, until the turn ends."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from msgbook.approval import Approve
from msgbook.config.settings import Limits
from msgbook.errors import AnswerCutError, ProviderError
from msgbook.events import (
    ModelFinished,
    Notice,
    RetryWait,
    StepStarted,
    StreamEvent,
    TurnEnd,
    TurnEvent,
    TurnFinished,
    UsageReported,
)
from msgbook.messages import Message
from msgbook.provider import REASONING_PARSERS, Provider, Request
from msgbook.text import counted
from msgbook.throttle import Breath
from msgbook.tools import ToolSet
from msgbook.turn.calls import CallRunner, CapResult, RepeatedCalls, RunCall, run_now
from msgbook.turn.limits import AnswerSize, Budgets, max_steps_notice
from msgbook.turn.record import TurnRecord
from msgbook.turn.replay import turn_messages
from msgbook.turn.text_calls import text_call_notices
from msgbook.turn.usage import ModelChanges
from msgbook_format.turn import (
    COMPLETE_REASONS,
    NOTICES,
    PAUSE_REASON,
    REASONINGS,
    TOOL_CALLS,
    TOOL_RESULTS,
    Block,
    LimitReason,
    Usage,
    answer_text,
)

_EVENTS_AT_ONCE = 50
"""Events that are handled before the loop lets others run: an interrupt waits about 5 ms for them."""


async def run_turn(
    request: Request,
    record: TurnRecord,
    *,
    provider: Provider,
    tools: ToolSet,
    approve: Approve,
    redact: Callable[[str], str],
    clock: Callable[[], float],
    cap_result: CapResult = lambda content, is_approved: content,
    limits: Limits = Limits(),  # noqa: B008 - frozen
    run_call: RunCall = run_now,
    budgets: Budgets | None = None,
) -> AsyncGenerator[None]:
    """Run one turn and yield after each event that is added to `record`.

    The record is complete when the iterator ends. If the iterator is cancelled, it closes the
    connections, and the caller ends the record with `TurnFinished("interrupted")`.

    Args:
        request: The request of the first model call. Later calls add the messages of this turn.
        redact: Removes secrets from a tool's result.
        clock: Returns monotonic seconds.
        cap_result: Cuts a tool's result down to what a request can carry.
        run_call: Makes each attempt to run a call of a recorded tool.
        budgets: Of `limits`; given if they are shared with other turns.
    """
    budgets, repeated = budgets or Budgets(limits, clock), RepeatedCalls()
    runner = CallRunner(
        record, tools, approve, redact, cap_result, clock, budgets, repeated, run_call
    )
    done: list[Message] = []
    models, breath = ModelChanges(), Breath(_EVENTS_AT_ONCE)
    if budgets.notice:
        _apply(record, limit_reached("budget", budgets.notice), clock)
        return
    for step in range(1, limits.max_steps + 1):
        record.apply(StepStarted(step), clock())
        step_request = replace(request, messages=request.messages + done)
        answer = _Answer(models, AnswerSize(limits.answer_limit), breath, budgets)
        events = provider.stream(step_request)
        if budgets.is_timed:
            events = _until_timeout(events, budgets)
        async with aclosing(answer.read(record, events, clock)) as changes:
            async for _ in changes:
                yield
        blocks = record.step_blocks()
        if answer.usage or answer.is_whole or blocks:
            budgets.count_usage(answer.usage, step_request.messages, blocks, record.models)
        end = answer.end_events(blocks, budgets)
        if not end:
            calls = TOOL_CALLS.among(blocks)
            async with aclosing(runner.run(calls)) as changes:
                async for _ in changes:
                    yield
            repeated.end_step(record.step_blocks())
            end = end_of_calls(record.step_blocks(), tools, repeated, budgets, limits, step)
        if end:
            notices = await ending_notices(end, blocks, request.tools, step)
            _apply(record, [*notices, *end], clock)
            yield
            return
        done += turn_messages(record.step_blocks(), reasoning=True)


def _apply(record: TurnRecord, events: list[TurnEvent], clock: Callable[[], float]) -> None:
    for event in events:
        record.apply(event, clock())


class _Answer:
    """Result of one model call. What a failed attempt of it used is taken from the budgets at once."""

    def __init__(
        self, models: ModelChanges, size: AnswerSize, breath: Breath, budgets: Budgets
    ) -> None:
        self._models = models
        self._size = size
        self._breath = breath
        self._budgets = budgets
        self._finished: ModelFinished | None = None
        self._usage: Usage | None = None
        self._error: ProviderError | None = None

    @property
    def usage(self) -> Usage | None:
        """What the server reported for the last attempt."""
        return self._usage

    @property
    def is_whole(self) -> bool:
        return self._finished is not None

    async def read(
        self, record: TurnRecord, stream: AsyncGenerator[StreamEvent], clock: Callable[[], float]
    ) -> AsyncGenerator[None]:
        """Add the events of the stream to the record and yield after each, up to the answer's bound.

        A server whose failed attempts have used up a budget is not asked again.
        """
        try:
            async with aclosing(stream) as events:
                async for whole in events:
                    await self._breath.spend()
                    event = self._size.fit(whole)
                    if event is not None:
                        record.apply(event, clock())
                    if isinstance(event, UsageReported):
                        self._usage = event.usage or self._usage
                    elif isinstance(event, RetryWait) and self._usage:
                        self._budgets.count_usage(self._usage, [], [], record.models)
                        self._usage = None
                    elif isinstance(event, ModelFinished):
                        self._finished = event
                        self._usage = event.usage or self._usage
                        for notice in [*_loss_notices(event), *self._models.notices(event.model)]:
                            record.apply(notice, clock())
                    yield
                    if self._size.notice or (isinstance(event, RetryWait) and self._budgets.notice):
                        return
        except ProviderError as error:
            self._error = error

    def end_events(self, blocks: list[Block], budgets: Budgets) -> list[TurnEvent]:
        """Return the events that end the turn after this answer; none if its calls have to run."""
        if self._size.notice:
            return limit_reached("answer_limit", self._size.notice)
        if self._error is not None:
            status: TurnEnd = "incomplete" if isinstance(self._error, AnswerCutError) else "error"
            return [TurnFinished(status, None, self._error.name, str(self._error))]
        timed_out = self._finished is None and budgets.notice
        end = None if timed_out else end_of_answer(self._finished, blocks)
        if end is not None:
            return [end]
        return limit_reached("budget", budgets.notice) if budgets.notice else []


async def _until_timeout(
    stream: AsyncGenerator[StreamEvent], budgets: Budgets
) -> AsyncGenerator[StreamEvent]:
    """Yield the events of a stream until the time budget is used up."""
    async with aclosing(stream):
        while True:
            limit = None
            try:
                async with budgets.timeout() as limit:
                    event = await anext(stream, None)
            except TimeoutError:
                if limit is None or not limit.expired():
                    raise
                budgets.run_out()
                return
            if event is None:
                return
            yield event


def _loss_notices(end: ModelFinished) -> list[Notice]:
    if not end.unreadable:
        return []
    verb = "is" if end.unreadable == 1 else "are"
    text = f"{counted(end.unreadable, 'part')} of the answer could not be read and {verb} missing."
    return [Notice(text, "warning")]


# The ends of a turn: after an answer, after its calls, or at a limit.


_NOTHING = (
    "The server sent nothing. The conversation may be longer than its context window: %context shows the size "
    "of each cell, and the server's log may say more."
)
"""llama-cpp-python and LM Studio send nothing where a conversation is too long."""


def end_of_answer(end: ModelFinished | None, blocks: list[Block]) -> TurnFinished | None:
    """Return the end of the turn after an answer; None if its calls have to run."""
    reason = end.finish_reason if end else None
    received = [block for block in blocks if block not in NOTICES or "extra" in block]
    if end is None or not end.ended:
        if received:
            message = "The answer was cut off: the server closed the stream without an end marker."
        else:
            message = _NOTHING
        return TurnFinished("incomplete", None, "IncompleteAnswer", message)
    if reason == "error":
        message = "The server ended the answer with an error and did not say which."
        return TurnFinished("incomplete" if received else "error", None, "APIError", message)
    if reason == PAUSE_REASON:
        return None  # the server goes on where it is given its answer back
    if reason not in (None, *COMPLETE_REASONS):
        # Whatever it means: the model did not end its answer.
        return TurnFinished("incomplete", reason)
    if TOOL_CALLS.among(blocks):
        return None
    if not received and reason is None:
        return TurnFinished("incomplete", None, "IncompleteAnswer", _NOTHING)
    return TurnFinished("done", reason)


def end_of_calls(
    blocks: list[Block],
    tools: ToolSet,
    repeated: RepeatedCalls,
    budgets: Budgets,
    limits: Limits,
    step: int,
) -> list[TurnEvent]:
    """Return the events that end the turn after the calls of a step; none if the model is called again."""
    if _is_ended_by_call(blocks, tools):
        return [TurnFinished("done", "tool_calls")]
    if repeated.notice:
        return limit_reached("repeated_failure", repeated.notice)
    if budgets.notice:
        return limit_reached("budget", budgets.notice)
    if step == limits.max_steps:
        return limit_reached("max_steps", max_steps_notice(limits))
    return []


def limit_reached(reason: LimitReason, text: str) -> list[TurnEvent]:
    """Return the events that end the turn at a limit, with a notice in words."""
    return [Notice(text, "warning"), TurnFinished("incomplete", reason)]


async def ending_notices(
    end: Sequence[TurnEvent], blocks: Sequence[Block], tools: Sequence[dict[str, Any]], step: int
) -> list[Notice]:
    """Return notices about a last answer without text, or with a call in its text.

    Args:
        end: The events that end the turn.
        blocks: Blocks of the last step.
        tools: The tools that were offered.
    """
    return [
        *_silence_notices(end, blocks, step),
        *await text_call_notices(end, blocks, tools),
    ]


def _is_ended_by_call(blocks: list[Block], tools: ToolSet) -> bool:
    """Return whether one of the step's calls ends the turn."""
    ending = {tool.name for tool in tools if tool.ends_turn}
    calls = {call["id"] for call in TOOL_CALLS.among(blocks) if call["name"] in ending}
    results = TOOL_RESULTS.among(blocks)
    return any(result["id"] in calls and result.get("status") == "success" for result in results)


def _silence_notices(end: Sequence[TurnEvent], blocks: Sequence[Block], step: int) -> list[Notice]:
    """Return a notice if the turn is done and has neither text nor calls."""
    is_done = any(isinstance(event, TurnFinished) and event.status == "done" for event in end)
    if step > 1 or not is_done or answer_text(blocks).strip():
        return []
    if TOOL_CALLS.among(blocks):
        return []
    if any(block["text"].strip() for block in REASONINGS.among(blocks)):
        words = (
            "The answer contains only reasoning and no text. If it keeps happening, the server's reasoning "
            f"parser probably does not match the model: set {REASONING_PARSERS}."
        )
        return [Notice(words, "warning")]
    return [Notice("The model ended its answer without any text.", "warning")]
