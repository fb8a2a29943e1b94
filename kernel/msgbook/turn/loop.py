"""The loop of a turn."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import replace

from msgbook.approval import Approve
from msgbook.errors import AnswerCutError, ProviderError
from msgbook.events import (
    ModelFinished,
    Notice,
    StepStarted,
    StreamEvent,
    TurnEnd,
    TurnEvent,
    TurnFinished,
)
from msgbook.messages import Message
from msgbook.provider import Provider, Request
from msgbook.text import counted
from msgbook.tools import ToolSet
from msgbook.turn.calls import Bound, CallRunner
from msgbook.turn.limits import Breaker, Limits, Meter, max_steps_reached
from msgbook.turn.record import TurnRecord
from msgbook.turn.replay import turn_messages
from msgbook_format.turn import Block, Usage, answer_text, blocks_of_type
from msgbook_format.turn.finish_reasons import PROVIDER_REASONS, LimitReason


async def run_turn(
    request: Request,
    record: TurnRecord,
    *,
    provider: Provider,
    tools: ToolSet,
    approve: Approve,
    redact: Callable[[str], str],
    clock: Callable[[], float],
    bound: Bound = lambda content, approved: content,
    limits: Limits = Limits(),  # noqa: B008 - frozen
) -> AsyncGenerator[None]:
    """Run one turn, yielding after each event that `record` has taken in.

    The record is final when the iterator ends. When it is cancelled, the caller finishes the
    record with `TurnFinished("interrupted")`; connections are closed by then.

    Args:
        request: The first model call; later ones add this turn's messages to it.
        redact: Takes out of a tool's result what must not be shown or sent on.
        clock: Monotonic seconds.
        bound: Cuts a tool's result down to what a request can carry.
    """
    meter, breaker = Meter(limits, clock), Breaker()
    runner = CallRunner(record, tools, approve, redact, bound, clock, meter, breaker)
    done: list[Message] = []
    for step in range(1, limits.max_steps + 1):
        record.apply(StepStarted(step), clock())
        request_now = replace(request, messages=request.messages + done)
        answer = _Answer()
        events = _in_time(provider.stream(request_now), meter)
        async with aclosing(answer.into(record, events, clock)) as happenings:
            async for _ in happenings:
                yield
        blocks = record.step_blocks()
        meter.count_tokens(answer.usage, [request_now.messages, blocks])
        end = answer.end_of_turn(blocks, meter)
        if not end:
            calls = blocks_of_type(blocks, "tool_call")
            async with aclosing(runner.run(calls)) as happenings:
                async for _ in happenings:
                    yield
            end = _limits_reached(breaker, meter, limits, step)
        if end:
            for event in [*_silence(end, blocks, step), *end]:
                record.apply(event, clock())
            yield
            return
        done += turn_messages(record.step_blocks(), reasoning=True)


class _Answer:
    """What came of one model call."""

    def __init__(self) -> None:
        self._finished: ModelFinished | None = None
        self._error: ProviderError | None = None

    @property
    def usage(self) -> Usage | None:
        return self._finished.usage if self._finished else None

    async def into(
        self, record: TurnRecord, stream: AsyncGenerator[StreamEvent], clock: Callable[[], float]
    ) -> AsyncGenerator[None]:
        """Take the events into the record, yielding after each."""
        try:
            async with aclosing(stream) as events:
                async for event in events:
                    record.apply(event, clock())
                    if isinstance(event, ModelFinished):
                        self._finished = event
                        for notice in _losses(event):
                            record.apply(notice, clock())
                    yield
        except ProviderError as error:
            self._error = error

    def end_of_turn(self, blocks: list[Block], meter: Meter) -> list[TurnEvent]:
        """How the turn ends with this answer; empty when its tools are to run."""
        if self._error is not None:
            status: TurnEnd = "incomplete" if isinstance(self._error, AnswerCutError) else "error"
            return [TurnFinished(status, None, self._error.name, str(self._error))]
        timed_out = self._finished is None and meter.spent
        outcome = None if timed_out else _outcome(self._finished, blocks)
        if outcome is not None:
            return [outcome]
        return _stopped("budget", meter.spent) if meter.spent else []


def _silence(end: list[TurnEvent], blocks: list[Block], step: int) -> list[TurnEvent]:
    """What to say of a turn that is done and shows neither words nor calls."""
    done = any(isinstance(event, TurnFinished) and event.status == "done" for event in end)
    if step > 1 or not done or answer_text(blocks).strip():
        return []
    return [Notice("The model ended its answer without a word.", "warning")]


def _limits_reached(breaker: Breaker, meter: Meter, limits: Limits, step: int) -> list[TurnEvent]:
    """How the turn ends after its tools; empty when the model is to be asked again."""
    if breaker.tripped:
        return _stopped("repeated_failure", breaker.tripped)
    if meter.spent:
        return _stopped("budget", meter.spent)
    if step == limits.max_steps:
        return _stopped("max_steps", max_steps_reached(limits))
    return []


def _stopped(reason: LimitReason, words: str) -> list[TurnEvent]:
    return [Notice(words, "warning"), TurnFinished("incomplete", reason)]


async def _in_time(
    stream: AsyncGenerator[StreamEvent], meter: Meter
) -> AsyncGenerator[StreamEvent]:
    """The events of a stream until the time is over."""
    async with aclosing(stream):
        while True:
            limit = asyncio.timeout(meter.time_left)
            try:
                async with limit:
                    event = await anext(stream)
            except StopAsyncIteration:
                return
            except TimeoutError:
                if not limit.expired():
                    raise
                meter.run_out()
                return
            yield event


def _losses(end: ModelFinished) -> list[Notice]:
    if not end.unreadable:
        return []
    pieces = counted(end.unreadable, "piece")
    words = f"{pieces} of the answer could not be read; what they said is missing."
    return [Notice(words, "warning")]


def _outcome(end: ModelFinished | None, blocks: list[Block]) -> TurnFinished | None:
    """How the turn ends with this model call; None when its tools are to run."""
    reason = end.finish_reason if end else None
    said = blocks_of_type(blocks, "text", "reasoning", "tool_call")
    if end is None or not end.ended:
        if said:
            message = "The answer was cut off: the server closed the stream without an end mark."
        else:
            message = "The server sent nothing."
        return TurnFinished("incomplete", None, "IncompleteAnswer", message)
    if reason in PROVIDER_REASONS:
        return TurnFinished("incomplete", reason)
    if reason == "error":
        message = "The server ended the answer with an error and did not say which."
        return TurnFinished("error", None, "APIError", message)
    if blocks_of_type(blocks, "tool_call"):
        return None
    if not said and reason is None:
        return TurnFinished("incomplete", None, "IncompleteAnswer", "The server sent nothing.")
    return TurnFinished("done", reason)
