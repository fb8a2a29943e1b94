"""A turn: model, tools, model, until the model calls no more. Knows no Jupyter and no SDK."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import replace

from msgbook.errors import AnswerCutError, ProviderError
from msgbook.events import (
    ModelFinished,
    Notice,
    StepStarted,
    ToolApproved,
    ToolFinished,
    TurnEnd,
    TurnEvent,
    TurnFinished,
)
from msgbook.history import turn_messages
from msgbook.messages import Message
from msgbook.output.record import TurnRecord
from msgbook.provider.base import Provider, Request
from msgbook.tools.approval import Approve
from msgbook.tools.base import ApprovalNeededError, ToolError, ToolSet
from msgbook_format.turn import Block

MAX_STEPS = 30

_CUT_SHORT = {"length", "content_filter"}
"""Finish reasons after which the answer is not whole."""


async def run_turn(
    request: Request,
    record: TurnRecord,
    *,
    provider: Provider,
    tools: ToolSet,
    approve: Approve,
    redact: Callable[[str], str],
    clock: Callable[[], float],
    max_steps: int = MAX_STEPS,
) -> AsyncIterator[None]:
    """Run one turn, yielding after each event that `record` has taken in.

    The record is final when the iterator ends. When it is cancelled, the caller finishes the
    record with `TurnFinished("interrupted")`; connections are closed by then.

    Args:
        request: The first model call; later ones add this turn's messages to it.
        redact: Takes out of a tool's result what must not be shown or sent on.
        clock: Monotonic seconds.
    """
    done: list[Message] = []
    for step in range(1, max_steps + 1):
        record.apply(StepStarted(step), clock())
        model_call = Request(request.model, request.messages + done, request.tools)
        end: ModelFinished | None = None
        try:
            async with aclosing(provider.stream(model_call)) as stream:
                async for event in stream:
                    record.apply(event, clock())
                    if isinstance(event, ModelFinished):
                        end = event
                        for notice in _losses(event):
                            record.apply(notice, clock())
                    yield
        except ProviderError as error:
            status: TurnEnd = "incomplete" if isinstance(error, AnswerCutError) else "error"
            record.apply(TurnFinished(status, None, error.name, str(error)), clock())
            yield
            return
        calls = [block for block in record.step_blocks() if block["type"] == "tool_call"]
        outcome = _outcome(end, record.step_blocks(), bool(calls))
        if outcome is not None:
            record.apply(outcome, clock())
            yield
            return
        for call in calls:
            async for happened in _run_call(call, tools, approve, clock):
                if isinstance(happened, ToolFinished) and isinstance(happened.content, str):
                    happened = replace(happened, content=redact(happened.content))
                record.apply(happened, clock())
                yield
        done += turn_messages(record.step_blocks(), reasoning=True)
    record.apply(TurnFinished("incomplete", "max_steps"), clock())
    yield


def _losses(end: ModelFinished) -> list[Notice]:
    if not end.unreadable:
        return []
    words = f"{end.unreadable} piece(s) of the answer could not be read; what they said is missing."
    return [Notice(words, "warning")]


def _outcome(end: ModelFinished | None, blocks: list[Block], calls: bool) -> TurnFinished | None:
    """How the turn ends with this model call; None when its tools are to run."""
    reason = end.finish_reason if end else None
    if end is None or not end.ended:
        if any(block["type"] in ("text", "reasoning", "tool_call") for block in blocks):
            message = "The answer was cut off: the server closed the stream without an end mark."
        else:
            message = "The server sent nothing."
        return TurnFinished("incomplete", None, "IncompleteAnswer", message)
    if reason in _CUT_SHORT:
        return TurnFinished("incomplete", reason)
    if calls:
        return None
    if not any(block["type"] in ("text", "reasoning") for block in blocks) and reason is None:
        return TurnFinished("incomplete", None, "IncompleteAnswer", "The server sent nothing.")
    return TurnFinished("done", reason)


async def _run_call(
    call: Block, tools: ToolSet, approve: Approve, clock: Callable[[], float]
) -> AsyncIterator[TurnEvent]:
    """Run one tool call. A failure is a result for the model, never an exception."""
    started = clock()
    status, content = "success", ""
    try:
        tool = tools.find(call["name"])
        yield ToolApproved(call["id"], "auto")
        try:
            content = await tool.call(call["arguments"])
        except ApprovalNeededError as reason:
            yield ToolApproved(call["id"], "pending")
            decision = await approve(call, str(reason))
            yield ToolApproved(call["id"], decision.approval)
            if decision.approval == "denied":
                status, content = "denied", decision.reason
            else:
                started = clock()
                content = await tool.call(call["arguments"], approved=True)
    except ToolError as error:
        status, content = "error", str(error)
    except Exception as error:  # a tool is anybody's code: what it raises is for the model
        status, content = "error", f"{type(error).__name__}: {error}"
    yield ToolFinished(call["id"], status, content, clock() - started)
