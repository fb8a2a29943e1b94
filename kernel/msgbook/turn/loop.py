"""The loop of a turn: call the model, run its tool calls, call the model again."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import replace

from msgbook.approval import Approve
from msgbook.config.limits import Limits
from msgbook.errors import AnswerCutError, ProviderError
from msgbook.events import (
    ModelFinished,
    Notice,
    StepStarted,
    StreamEvent,
    TurnEnd,
    TurnEvent,
    TurnFinished,
    UsageReported,
)
from msgbook.messages import Message
from msgbook.provider import Provider, Request
from msgbook.text import counted
from msgbook.tools import ToolSet
from msgbook.turn.answered_model import ModelChanges
from msgbook.turn.attempt import RunCall, run_now
from msgbook.turn.calls import CallRunner, CapResult
from msgbook.turn.endings import (
    end_of_answer,
    end_of_calls,
    ending_notices,
    limit_reached,
)
from msgbook.turn.limits import Budgets
from msgbook.turn.record import TurnRecord
from msgbook.turn.repeated_calls import RepeatedCalls
from msgbook.turn.replay import turn_messages
from msgbook_format.turn import (
    Block,
    Usage,
    blocks_of_type,
)


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
    models = ModelChanges()
    if budgets.notice:
        _apply(record, limit_reached("budget", budgets.notice), clock)
        return
    for step in range(1, limits.max_steps + 1):
        record.apply(StepStarted(step), clock())
        step_request = replace(request, messages=request.messages + done)
        answer = _Answer(models)
        events = _until_timeout(provider.stream(step_request), budgets)
        async with aclosing(answer.read(record, events, clock)) as changes:
            async for _ in changes:
                yield
        blocks = record.step_blocks()
        budgets.count_tokens(answer.usage, [step_request.messages, blocks])
        end = answer.end_events(blocks, budgets)
        if not end:
            calls = blocks_of_type(blocks, "tool_call")
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
    """Result of one model call."""

    def __init__(self, models: ModelChanges) -> None:
        self._models = models
        self._finished: ModelFinished | None = None
        self._usage: Usage | None = None
        self._error: ProviderError | None = None

    @property
    def usage(self) -> Usage | None:
        return self._usage

    async def read(
        self, record: TurnRecord, stream: AsyncGenerator[StreamEvent], clock: Callable[[], float]
    ) -> AsyncGenerator[None]:
        """Add the events of the stream to the record and yield after each."""
        try:
            async with aclosing(stream) as events:
                async for event in events:
                    record.apply(event, clock())
                    if isinstance(event, UsageReported):
                        self._usage = event.usage or self._usage
                    elif isinstance(event, ModelFinished):
                        self._finished = event
                        self._usage = event.usage or self._usage
                        for notice in [*_loss_notices(event), *self._models.notices(event.model)]:
                            record.apply(notice, clock())
                    yield
        except ProviderError as error:
            self._error = error

    def end_events(self, blocks: list[Block], budgets: Budgets) -> list[TurnEvent]:
        """Return the events that end the turn after this answer; none if its calls have to run."""
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
