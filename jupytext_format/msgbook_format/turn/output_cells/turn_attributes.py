"""Keys of a turn as attributes of its first output cell, and back."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from msgbook_format import jsontext
from msgbook_format.syntax.attributes import AttributeReader, Attributes
from msgbook_format.turn.model import TURN_VERSION
from msgbook_format.typed import text_or_none

# Durations and counts as values of attributes, such as `0.5s` and `12`.


_SECONDS = re.compile(r"(?:0|[1-9][0-9]{0,8})\.[0-9]{1,9}s")

_COUNT = re.compile(r"0|[1-9][0-9]{0,14}")
_COUNTS_END = 10**15
"""No count is that large; Python reads integers of any length, the page does not."""


def write_seconds(value: Any) -> str | None:
    """Return a number of seconds as the value of an attribute; None if it is not a finite number."""
    if type(value) is int or (isinstance(value, float) and math.isfinite(value)):
        return f"{jsontext.dumps(value)}s"
    return None


def read_seconds(text: str) -> Any:
    """Return the number of seconds in the value of an attribute; None if it is not a number."""
    if _SECONDS.fullmatch(text):
        return float(text[:-1])
    try:
        value = jsontext.loads(text.removesuffix("s"))
    except ValueError:
        return None
    return value if write_seconds(value) else None


def write_count(value: Any) -> str | None:
    """Return a count as the value of an attribute; None if it is not an integer of up to 15 digits."""
    return str(value) if type(value) is int and 0 <= value < _COUNTS_END else None


def read_count(text: str) -> int | None:
    """Return the count in the value of an attribute; None if it is spelled in any other way."""
    return int(text) if _COUNT.fullmatch(text) else None


_TEXTS = (
    ("started", "time"),
    ("model", "model"),
    ("answered_model", "answered_model"),
    ("provider", "provider"),
    ("finish_reason", "finish_reason"),
)
_TOKEN_COUNTS = ("input_tokens", "cached_tokens", "output_tokens", "reasoning_tokens")
_READ_TEXTS = (*_TEXTS, ("agent", "agent"), ("status", "turn_status"))


@dataclass(frozen=True, slots=True)
class _Part:
    """A key of `usage` or `context` and its attribute."""

    key: str
    attribute: str
    write: Callable[[Any], str | None]
    read: Callable[[str], Any]


def _count(key: str) -> _Part:
    return _Part(key, key, write_count, read_count)


def _text(key: str, attribute: str) -> _Part:
    return _Part(key, attribute, text_or_none, str)


_OBJECTS = {
    "usage": tuple(map(_count, _TOKEN_COUNTS)),
    "context": (_text("source", "source"), _count("cells"), _text("request_hash", "request")),
}
"""Objects of a turn, with those of their keys that have an attribute."""

COUNTS = frozenset((*_TOKEN_COUNTS, "cells"))
"""Attributes of a turn that are whole numbers."""

TURN_ATTRIBUTES = frozenset(
    (
        *(attribute for _, attribute in _READ_TEXTS),
        *_OBJECTS,
        *(part.attribute for parts in _OBJECTS.values() for part in parts),
        "turn_duration",
        "turn",
        "output_metadata",
        "blocks",
        "n",
    )
)
"""Attributes that belong to the turn if its first output cell has them."""


def write_turn_attributes(
    turn: dict[str, Any], metadata: dict[str, Any], *, is_agent_named: bool
) -> Attributes:
    """Return the attributes of a turn without its blocks; `turn` is emptied in place.

    Args:
        metadata: Metadata of the turn's output.
        is_agent_named: Whether the type of an output cell names the turn's agent.
    """
    attributes: Attributes = []
    if is_agent_named:
        del turn["agent"]
    elif isinstance(turn.get("agent"), str):
        attributes.append(("agent", turn.pop("agent")))
    for key, attribute in _TEXTS:
        if isinstance(turn.get(key), str):
            attributes.append((attribute, turn.pop(key)))
    seconds = write_seconds(turn.get("duration"))
    if seconds is not None:
        del turn["duration"]
        attributes.append(("turn_duration", seconds))
    if isinstance(turn["status"], str):
        status = turn.pop("status")
        if status != "done":
            attributes.append(("turn_status", status))
    rests: Attributes = []
    for key, parts in _OBJECTS.items():
        if isinstance(turn.get(key), dict):
            plain, rest = _write_object(turn.pop(key), parts)
            attributes += plain
            if rest or not plain:
                rests.append((key, jsontext.dumps(rest)))
    attributes += rests
    if jsontext.is_same(turn["version"], TURN_VERSION):
        del turn["version"]
    if turn:
        attributes.append(("turn", jsontext.dumps(turn)))
    if metadata:
        attributes.append(("output_metadata", jsontext.dumps(metadata)))
    return attributes


def read_turn_attributes(attributes: AttributeReader) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a turn without blocks, and the metadata of its output."""
    turn: dict[str, Any] = {"version": TURN_VERSION, "status": "done", "blocks": []}
    for key, attribute in _READ_TEXTS:
        text = attributes.take(attribute)
        if text is not None:
            turn[key] = text
    seconds = attributes.take("turn_duration")
    if seconds is not None:
        value = read_seconds(seconds)
        if value is None:
            attributes.put_back("turn_duration", seconds)
        else:
            turn["duration"] = value
    for key, parts in _OBJECTS.items():
        plain = _read_parts(attributes, parts)
        rest = attributes.take_object(key)
        if plain or rest is not None:
            turn[key] = {**(rest or {}), **plain}
    for key, value in (attributes.take_object("turn") or {}).items():
        if key in ("version", "status") or key not in turn:
            turn[key] = value
    return turn, attributes.take_object("output_metadata") or {}


def _write_object(
    value: dict[str, Any], parts: tuple[_Part, ...]
) -> tuple[Attributes, dict[str, Any]]:
    """Return the attributes of an object, and what has none."""
    attributes: Attributes = []
    rest = dict(value)
    for part in parts:
        text = part.write(rest.get(part.key))
        if text is not None:
            del rest[part.key]
            attributes.append((part.attribute, text))
    return attributes, rest


def _read_parts(attributes: AttributeReader, parts: tuple[_Part, ...]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for part in parts:
        text = attributes.take(part.attribute)
        if text is None:
            continue
        value = part.read(text)
        if value is None:
            attributes.put_back(part.attribute, text)
        else:
            found[part.key] = value
    return found
