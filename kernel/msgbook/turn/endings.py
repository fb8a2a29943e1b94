"""The ends of a turn: after an answer, after its calls, or at a limit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgbook.config.limits import Limits
from msgbook.events import ModelFinished, Notice, TurnEvent, TurnFinished
from msgbook.provider import REASONING_PARSERS
from msgbook.tools import ToolSet
from msgbook.turn.limits import Budgets, max_steps_notice
from msgbook.turn.repeated_calls import RepeatedCalls
from msgbook.turn.text_calls import text_call_notices
from msgbook_format.turn import (
    COMPLETE_REASONS,
    Block,
    LimitReason,
    answer_text,
    blocks_of_type,
)

_NOTHING = (
    "The server sent nothing. The conversation may be longer than its context window: %context shows the size "
    "of each cell, and the server's log may say more."
)
"""llama-cpp-python and LM Studio send nothing where a conversation is too long."""


def end_of_answer(end: ModelFinished | None, blocks: list[Block]) -> TurnFinished | None:
    """Return the end of the turn after an answer; None if its calls have to run."""
    reason = end.finish_reason if end else None
    received = [block for block in blocks if block["type"] != "notice" or "extra" in block]
    if end is None or not end.ended:
        if received:
            message = "The answer was cut off: the server closed the stream without an end marker."
        else:
            message = _NOTHING
        return TurnFinished("incomplete", None, "IncompleteAnswer", message)
    if reason == "error":
        message = "The server ended the answer with an error and did not say which."
        return TurnFinished("error", None, "APIError", message)
    if reason not in (None, *COMPLETE_REASONS):
        # Whatever it means: the model did not end its answer.
        return TurnFinished("incomplete", reason)
    if blocks_of_type(blocks, "tool_call"):
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
    calls = {call["id"] for call in blocks_of_type(blocks, "tool_call") if call["name"] in ending}
    results = blocks_of_type(blocks, "tool_result")
    return any(result["id"] in calls and result.get("status") == "success" for result in results)


def _silence_notices(end: Sequence[TurnEvent], blocks: Sequence[Block], step: int) -> list[Notice]:
    """Return a notice if the turn is done and has neither text nor calls."""
    is_done = any(isinstance(event, TurnFinished) and event.status == "done" for event in end)
    if step > 1 or not is_done or answer_text(blocks).strip():
        return []
    if blocks_of_type(blocks, "tool_call"):
        return []
    if any(block["text"].strip() for block in blocks_of_type(blocks, "reasoning")):
        words = (
            "The answer contains only reasoning and no text. If it keeps happening, the server's reasoning "
            f"parser probably does not match the model: set {REASONING_PARSERS}."
        )
        return [Notice(words, "warning")]
    return [Notice("The model ended its answer without any text.", "warning")]
