"""The content of an `execute_reply`."""

from __future__ import annotations

from typing import Any

from msgbook.display.failure import Failure, error_content


def execute_reply(count: int, failure: Failure | None = None) -> dict[str, Any]:
    """Return the reply for a cell that is not IPython's.

    Args:
        count: The cell's execution count.
        failure: The error that the cell ended with; None if it succeeded.
    """
    reply: dict[str, Any] = {
        "status": "error" if failure else "ok",
        "execution_count": count,
        "payload": [],
        "user_expressions": {},
    }
    return reply | error_content(failure) if failure else reply


async def awaited_reply(reply: Any) -> dict[str, Any]:
    """Return the reply of an IPython handler, which is a coroutine or not, depending on the version."""
    content: dict[str, Any] = await reply if hasattr(reply, "__await__") else reply
    return content
