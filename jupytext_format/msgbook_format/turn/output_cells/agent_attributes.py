"""The sub-agents of a tool result as attributes of its output cell: `agent.1.name="Parser"`, and back."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from msgbook_format import jsontext
from msgbook_format.syntax.attribute_reader import AttributeReader
from msgbook_format.syntax.attributes import Attributes
from msgbook_format.turn.output_cells.numbers import (
    read_count,
    read_seconds,
    write_count,
    write_seconds,
)

_ATTRIBUTE = re.compile(r"agent\.([1-9][0-9]{0,2})\.([a-z_]+)")
_MOST = 999
_Form = tuple[Callable[[Any], str | None], Callable[[str], Any]]


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


_TEXT: _Form = (_text, str)
_COUNT: _Form = (write_count, read_count)
_KEYS: dict[str, _Form] = {
    **dict.fromkeys(("name", "agent", "status"), _TEXT),
    "steps": _COUNT,
    "duration": (write_seconds, read_seconds),
    **dict.fromkeys(("last", "file", "uuid"), _TEXT),
}
"""Keys of a row with an attribute, in the order in which they are written."""

_USAGE = ("input_tokens", "cached_tokens", "output_tokens", "reasoning_tokens", "untold_steps")
"""Keys of the `usage` of a row with an attribute; they follow `duration`."""


def is_agent_attribute(key: str) -> bool:
    """Return whether an attribute may be read as part of a row."""
    return _ATTRIBUTE.fullmatch(key) is not None


def write_agents(rows: Any) -> Attributes | None:
    """Return the attributes of all rows; None if they would not be read as the same rows."""
    if not isinstance(rows, list) or not 0 < len(rows) <= _MOST:
        return None
    if not all(isinstance(row, dict) for row in rows):
        return None
    attributes: Attributes = [
        (f"agent.{number}.{key}", value)
        for number, row in enumerate(rows, 1)
        for key, value in _write_row(row)
    ]
    same = jsontext.is_same(take_agents(AttributeReader(attributes)), rows)
    return attributes if same else None


def take_agents(attributes: AttributeReader) -> list[dict[str, Any]] | None:
    """Return the rows and take their attributes; None, and nothing is taken, if one cannot be read.

    The rows are numbered from 1 without a gap.
    """
    found: dict[int, dict[str, str]] = {}
    for key, value in attributes.rest:
        match = _ATTRIBUTE.fullmatch(key)
        if match and value is not True:
            found.setdefault(int(match[1]), {}).setdefault(match[2], value)
    if sorted(found) != list(range(1, len(found) + 1)):
        return None
    rows = [_read_row(found[number]) for number in sorted(found)]
    if not rows or None in rows:
        return None
    for number, texts in found.items():
        for key in texts:
            attributes.take(f"agent.{number}.{key}")
    return [row for row in rows if row is not None]


def _write_row(row: dict[str, Any]) -> list[tuple[str, str]]:
    usage = row.get("usage")
    counts = usage if isinstance(usage, dict) else {}
    pairs: list[tuple[str, str | None]] = []
    for key, (write, _) in _KEYS.items():
        pairs.append((key, write(row.get(key))))
        if key == "duration":
            pairs += [(name, write_count(counts.get(name))) for name in _USAGE]
    return [(key, text) for key, text in pairs if text is not None]


def _read_row(texts: dict[str, str]) -> dict[str, Any] | None:
    row: dict[str, Any] = {}
    for key, text in texts.items():
        form = _COUNT if key in _USAGE else _KEYS.get(key)
        value = None if form is None else form[1](text)
        if value is None:
            return None
        if key in _USAGE:
            row.setdefault("usage", {})[key] = value
        else:
            row[key] = value
    return row
