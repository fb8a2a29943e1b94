"""One block of a turn as an output cell, and back: its attributes and its body."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from msgbook_format import jsontext
from msgbook_format.syntax.attributes import (
    AttributeReader,
    Attributes,
    Value,
    attributes_from_json,
)
from msgbook_format.syntax.text_cell import TextCell, is_title
from msgbook_format.turn.kinds import KINDS, TEXTS, TOOL_CALLS, TOOL_RESULTS, Field, Kind, kind_of
from msgbook_format.turn.output_cells.call_text import names_tool, read_body, write_body
from msgbook_format.turn.output_cells.turn_attributes import (
    TURN_ATTRIBUTES,
    read_count,
    read_seconds,
    write_count,
    write_seconds,
)
from msgbook_format.typed import as_dict, text_or_none

NO_AGENT = frozenset(
    [*(kind.cell for kind in KINDS if kind.cell), "nb", "attachment", "markdown", "code", "raw"]
)
"""Types of output cells that name no agent."""

_BY_CELL = {kind.cell: kind for kind in KINDS if kind.cell}
_MARKED = [kind for kind in KINDS if kind.mark]

_COMMON = (Field("history", "history"),)
_LATER = (*_COMMON, Field("time", "time"), Field("agent", "agent"))
_STRUCTURAL = frozenset(
    [
        "encoding",
        "block",
        "call",
        "nonce",
        "step",
        "title",
        "extra",
        "mime_type",
        "output",
        "eol",
        "alt",
    ]
)
_RESERVED = (
    _STRUCTURAL
    | TURN_ATTRIBUTES
    | {kind.mark for kind in _MARKED}
    | {field.attribute for kind in KINDS for field in (*kind.fields, *_COMMON)}
)


def _fields(kind: Kind, is_first: bool) -> tuple[Field, ...]:
    # `time` and `agent` of the first block are the turn's.
    return kind.fields + (_COMMON if is_first else _LATER)


def _write_field(field: Field, value: Any) -> Value | None:
    """Return the value of an attribute; None if none can hold it."""
    match field.form:
        case "seconds":
            return write_seconds(value)
        case "flag":
            return True if value is True else None
        case "text":
            return text_or_none(value)


def _take_field(field: Field, attributes: AttributeReader) -> Any:
    """Take the value of a key from its attribute; None, and nothing is taken, if it has none."""
    if field.form == "flag":
        return attributes.take_flag(field.attribute) or None
    text = attributes.take(field.attribute)
    if text is None or field.form == "text":
        return text
    value = read_seconds(text)
    if value is None:
        attributes.put_back(field.attribute, text)
    return value


def is_readable(block: dict[str, Any]) -> bool:
    """Return whether a block has a text form; any other is written as JSON."""
    kind = kind_of(block)
    if not kind.content or not all(isinstance(block.get(key), str) for key in kind.texts):
        return False
    body = block.get(kind.content)
    if kind.has_parts and isinstance(body, list):
        return True
    return isinstance(body, str) and not jsontext.needs_json(body)


def write_json_block(block: dict[str, Any]) -> TextCell:
    """Return an output cell that holds a block as JSON."""
    attributes: Attributes = [("block", "1"), ("encoding", "json")]
    return TextCell(type="nb", attributes=attributes, body=jsontext.dumps_indented(block))


def write_block(
    block: dict[str, Any], agent: str, *, is_first: bool
) -> tuple[TextCell, dict[str, Any]]:
    """Return an output cell for a readable block, and the keys that are still to be written.

    Args:
        agent: Type of an output cell that names the turn's agent.
        is_first: Whether the output cell is the turn's first, whose `time` and `agent` are the
            turn's.
    """
    kind = kind_of(block)
    rest = dict(block)
    del rest["type"]
    output_cell = TextCell(type=kind.cell or agent)
    if kind.mark:
        output_cell.attributes.append((kind.mark, "1"))
    for field in _fields(kind, is_first):
        if field.key in rest:
            value = _write_field(field, rest[field.key])
            if value is not None:
                output_cell.attributes.append((field.attribute, value))
                del rest[field.key]
    rows = write_agents(rest.get("agents")) if kind is TOOL_RESULTS else None
    if rows is not None:
        output_cell.attributes += rows
        del rest["agents"]
    title = rest.get("title")
    if isinstance(title, str) and is_title(title):
        output_cell.title = rest.pop("title")
    write_body(output_cell, block, rest)
    return output_cell, rest


def write_rest(output_cell: TextCell, rest: dict[str, Any]) -> None:
    """Add the keys of a block that have no attribute, in place."""
    pairs = attributes_from_json(rest.get("attrs"), _RESERVED)
    if pairs is not None and not any(is_agent_attribute(key) for key, _ in pairs):
        del rest["attrs"]
        output_cell.attributes += pairs
    if rest:
        output_cell.attributes.append(("extra", jsontext.dumps(rest)))


def cell_kind(output_cell: TextCell) -> Kind:
    """Return the kind of the block in an output cell below a prompt."""
    if output_cell.type == TOOL_CALLS.cell:
        is_named = "name" in dict(output_cell.attributes)
        return TOOL_CALLS if is_named or names_tool(output_cell) else TOOL_RESULTS
    marked = (kind for kind in _MARKED if (kind.mark, "1") in output_cell.attributes)
    return _BY_CELL.get(output_cell.type or "") or next(marked, TEXTS)


def read_block(
    output_cell: TextCell, attributes: AttributeReader, *, is_first: bool
) -> dict[str, Any]:
    """Return the block of an output cell without its step, nonce and id.

    Args:
        attributes: Attributes that are not the turn's.
        is_first: As in `write_block`.
    """
    kind = cell_kind(output_cell)
    block: dict[str, Any] = {"type": kind.name}
    if output_cell.title is not None:
        block["title"] = output_cell.title
    if kind.mark:
        attributes.take(kind.mark)
    for field in _fields(kind, is_first):
        value = _take_field(field, attributes)
        if value is not None:
            block[field.key] = value
    rows = take_agents(attributes) if kind is TOOL_RESULTS else None
    if rows is not None:
        block["agents"] = rows
    read_body(output_cell, attributes, block)
    return block


def read_rest(block: dict[str, Any], attributes: AttributeReader) -> None:
    """Add `extra` and unknown attributes to a block, in place."""
    for key, value in (attributes.take_object("extra") or {}).items():
        block.setdefault(key, value)
    if attributes.rest:
        block["attrs"] = [list(pair) for pair in attributes.rest]


# The sub-agents of a tool result as attributes of its output cell: `agent.1.name="Parser"`, and back.


_ATTRIBUTE = re.compile(r"agent\.([1-9][0-9]{0,2})\.([a-z_]+)")
_MOST = 999
"""Most rows that have names as attributes, `agent.999.name`; more are JSON."""
_Form = tuple[Callable[[Any], str | None], Callable[[str], Any]]


_TEXT: _Form = (text_or_none, str)
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
    counts = as_dict(usage)
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
