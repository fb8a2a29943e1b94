"""The results of calls that had none when their turn ended. Pure."""

from __future__ import annotations

from msgbook_format.turn import Block

INTERRUPTED_RESULT = "(interrupted: the tool did not finish)"

NOT_RUN_RESULT = "(not run: the turn was stopped before the call was approved)"


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
