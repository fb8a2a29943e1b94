"""The first difference between a recorded request and the one that is made now. Pure."""

from __future__ import annotations

import difflib
import json
from typing import Any

from msgbook.cassette.request_bodies import list_key
from msgbook.messages import API_TITLES, ApiName
from msgbook.text import without_data

_APIS: dict[str, ApiName] = {"messages": "chat", "input": "responses"}
_ENTRIES = {"messages": "message", "input": "input item"}
"""The API, and what an entry is called, by the key of the list."""

_LINES, _WIDTH = 80, 300
"""Lines and characters of a line that a difference shows."""


def describe_difference(recorded: dict[str, Any], now: dict[str, Any]) -> tuple[str, list[str]]:
    """Return what differs first, in words, and its unified diff.

    Args:
        recorded: The body of the recorded request.
        now: Another body.
    """
    name = list_key(now)
    if list_key(recorded) != name:
        before, after = (API_TITLES[_APIS[list_key(body)]] for body in (recorded, now))
        return f"it was recorded over the {before}, and is sent over the {after} now", []
    old, new = recorded.get(name, []), now.get(name, [])
    for number in range(max(len(old), len(new))):
        before, after = old[number : number + 1], new[number : number + 1]
        if before == after:
            continue
        which = f"{_ENTRIES[name]} {number + 1} ({_kind((before or after)[0])})"
        if not before:
            return f"{which} is new", diff_texts("", _text(after[0]))
        if not after:
            return f"{which} is missing", diff_texts(_text(before[0]), "")
        return f"{which} differs", diff_texts(_text(before[0]), _text(after[0]))
    for key in dict.fromkeys((*recorded, *now)):
        if key != name and recorded.get(key) != now.get(key):
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


def _kind(message: dict[str, Any]) -> str:
    """Return the role of a message, or the type of an item that has none."""
    return str(message.get("role") or message.get("type"))


def _text(message: dict[str, Any]) -> str:
    """Return a message as lines: its text as it is, all else as JSON."""
    name = "output" if "output" in message else "content"
    rest = {key: value for key, value in message.items() if key != name}
    return without_data(f"{_pretty(rest)}\n{_pretty(message.get(name))}")


def _pretty(value: Any) -> str:
    """Return a text as it is, all else as JSON."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True)
