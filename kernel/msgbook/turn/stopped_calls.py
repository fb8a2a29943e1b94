"""Calls that have no result yet, and the results of those that had none when their turn ended. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgbook_format.turn import Block, blocks_of_type

INTERRUPTED_RESULT = "(interrupted: the tool did not finish)"

NOT_RUN_RESULT = "(not run: the turn was stopped before the call was approved)"


def running_result(blocks: Sequence[Block], call_id: str) -> Block | None:
    """Return the result, among the blocks of a step, of a call that has not finished; None if it has none yet."""
    results = blocks_of_type(blocks, "tool_result")
    return next((b for b in results if b["id"] == call_id and "status" not in b), None)


def calls_without_result(calls: Iterable[Block], blocks: Sequence[Block]) -> list[Block]:
    """Return the calls of a step that have not finished, given the step's blocks."""
    results = blocks_of_type(blocks, "tool_result")
    answered = {block["id"] for block in results if "status" in block}
    return [call for call in calls if call["id"] not in answered]


def stopped_call_result(call: Block, output: str = "") -> str:
    """Return the content of a stopped call's result.

    Args:
        call: A call that was started, or that waits for approval. A call that waits for approval
            has done nothing, unless its tool produced output before it asked.
        output: Output of the tool so far.
    """
    if call.get("approval") == "pending" and not output:
        return NOT_RUN_RESULT
    return interrupted_result(output)


def interrupted_result(output: str) -> str:
    """Return the content of the result of a tool that ran and had this output."""
    return f"{output}\n{INTERRUPTED_RESULT}" if output else INTERRUPTED_RESULT
