"""Leftovers of a message: its difference from the message that its cell or block is written as.

They are kept beside the cell or block, and used only while it shows the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgbook_format import jsontext
from msgbook_format.extras.agent_context.content import is_message

KEY = "agent_message"
"""Key of blocks, and of `metadata.msgbook` of cells."""

_KNOWN = frozenset(
    ("role", "content", "reasoning_content", "tool_calls", "tool_call_id", "metadata")
)

_Json = dict[str, Any]


def find_leftovers(plain: _Json, message: _Json) -> _Json:
    """Return how `message` differs from the message `plain`; empty if it does not.

    `with` has the keys with other values, `without` names those that it lacks.
    """
    found: _Json = {}
    others = {
        key: value
        for key, value in message.items()
        if key not in plain or not jsontext.is_same(plain[key], value)
    }
    missing = [key for key in plain if key not in message]
    if others:
        found["with"] = others
    if missing:
        found["without"] = missing
    return found


def with_leftovers(plain: _Json, leftovers: Any, is_shown: Callable[[_Json], bool]) -> _Json:
    """Return the message `plain` with what was kept beside its cell or block.

    Args:
        leftovers: As from `find_leftovers`, but from a file, so of any shape.
        is_shown: Returns whether a message shows what the cell or block shows now. If it does not,
            only keys that this program does not know are used: the rest describes an older text.
    """
    if not isinstance(leftovers, dict):
        return plain
    others, missing = leftovers.get("with", {}), leftovers.get("without", [])
    if not isinstance(others, dict) or not isinstance(missing, list):
        return plain
    remaining = {key: value for key, value in plain.items() if key not in missing}
    for hidden in ((), ("metadata",)):
        message = remaining | {key: value for key, value in others.items() if key not in hidden}
        if is_message(message, plain["role"]) and is_shown(message):
            return message
    return plain | {key: value for key, value in others.items() if key not in _KNOWN}
