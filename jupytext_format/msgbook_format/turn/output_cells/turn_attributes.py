"""Keys of a turn as attributes of its first output cell, and back."""

from __future__ import annotations

from typing import Any

from msgbook_format import jsontext
from msgbook_format.syntax.attributes import AttributeReader, Attributes
from msgbook_format.turn.model import TURN_VERSION
from msgbook_format.turn.output_cells.durations import read_seconds, write_seconds

_TEXTS = (
    ("started", "time"),
    ("model", "model"),
    ("provider", "provider"),
    ("finish_reason", "finish_reason"),
)
_READ_TEXTS = (*_TEXTS, ("agent", "agent"), ("status", "turn_status"))
_OBJECTS = ("usage", "context")

TURN_ATTRIBUTES = frozenset(
    (
        *(attribute for _, attribute in _READ_TEXTS),
        *_OBJECTS,
        *("turn_duration", "turn", "output_metadata", "blocks", "n"),
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
    for key in _OBJECTS:
        if isinstance(turn.get(key), dict):
            attributes.append((key, jsontext.dumps(turn.pop(key))))
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
    for key in _OBJECTS:
        value = _take_object(attributes, key)
        if value is not None:
            turn[key] = value
    for key, value in (_take_object(attributes, "turn") or {}).items():
        if key in ("version", "status") or key not in turn:
            turn[key] = value
    return turn, _take_object(attributes, "output_metadata") or {}


def _take_object(attributes: AttributeReader, key: str) -> dict[str, Any] | None:
    text = attributes.take(key)
    if text is None:
        return None
    value = jsontext.load_object(text)
    if value is None:
        attributes.put_back(key, text)
    return value
