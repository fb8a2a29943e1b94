"""Streams in which one value has another type."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

DEEP: Any = "deep"
for _ in range(60):
    DEEP = [DEEP]

VALUES: dict[str, Any] = {
    "null": None,
    "a number": 7,
    "a flag": True,
    "a text": "odd",
    "a list": ["odd"],
    "an object": {"odd": "odd"},
    "a nested list": DEEP,
}


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The place of each value in a value, itself left out."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in pairs:
        yield (*path, key)
        if isinstance(inner, dict | list):
            yield from places(inner, (*path, key))


def with_value(event: dict[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """A copy with another value at a place."""
    changed = copy.deepcopy(event)
    inner: Any = changed
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return changed
