"""What a model is told of a call that has no result when its turn ends. Pure."""

from __future__ import annotations

from msgbook_format.turn import Block

INTERRUPTED_RESULT = "(interrupted: the tool did not finish)"

NOT_RUN_RESULT = "(not run: the turn was stopped before the call was approved)"


def result_of_stopped(call: Block, shown: str = "") -> str:
    """The content of its result.

    Args:
        call: One that was made, or asked about. One that waits for approval has done nothing,
            unless it had put something out before it asked.
        shown: What its tool has put out.
    """
    if call.get("approval") == "pending" and not shown:
        return NOT_RUN_RESULT
    return interrupted_result(shown)


def interrupted_result(shown: str) -> str:
    """The content of the result of a tool that ran, behind what it has put out."""
    return f"{shown}\n{INTERRUPTED_RESULT}" if shown else INTERRUPTED_RESULT
