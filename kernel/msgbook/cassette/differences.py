"""The first difference between a recorded request and the one that is made now. Pure."""

from __future__ import annotations

import difflib
import json
from typing import Any

from msgbook.text import without_data

_LINES, _WIDTH = 80, 300
"""Lines and characters of a line that a difference shows."""


def describe_difference(recorded: dict[str, Any], now: dict[str, Any]) -> tuple[str, list[str]]:
    """Return what differs first, in words, and its unified diff.

    Args:
        recorded: The body of the recorded request.
        now: Another body.
    """
    old, new = recorded.get("messages", []), now.get("messages", [])
    for number in range(max(len(old), len(new))):
        before, after = old[number : number + 1], new[number : number + 1]
        if before == after:
            continue
        which = f"message {number + 1} ({(before or after)[0].get('role')})"
        if not before:
            return f"{which} is new", diff_texts("", _text(after[0]))
        if not after:
            return f"{which} is missing", diff_texts(_text(before[0]), "")
        return f"{which} differs", diff_texts(_text(before[0]), _text(after[0]))
    for key in dict.fromkeys((*recorded, *now)):
        if key != "messages" and recorded.get(key) != now.get(key):
            texts = (_pretty(body[key]) if key in body else "" for body in (recorded, now))
            return f"`{key}` differs", diff_texts(*texts)
    return "the requests are equal", []


def diff_texts(recorded: str, now: str) -> list[str]:
    """Return the lines of a unified diff, cut where it is long."""
    found = difflib.unified_diff(
        recorded.splitlines(), now.splitlines(), "recorded", "now", lineterm="", n=2
    )
    lines = [line if len(line) <= _WIDTH else f"{line[: _WIDTH - 1]}…" for line in found]
    left = len(lines) - _LINES
    return lines if left <= 0 else [*lines[:_LINES], f"… {left} more lines"]


def _text(message: dict[str, Any]) -> str:
    """Return a message as lines: its text as it is, all else as JSON."""
    content = message.get("content")
    rest = {key: value for key, value in message.items() if key != "content"}
    shown = content if isinstance(content, str) else _pretty(content)
    return without_data(f"{_pretty(rest)}\n{shown}")


def _pretty(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True)
