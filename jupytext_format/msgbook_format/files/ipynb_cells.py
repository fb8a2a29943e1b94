"""Changes of single cells in the text of an `.ipynb` file, of which everything else stays byte for byte. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from json.decoder import scanstring  # type: ignore[attr-defined]  # typed nowhere
from typing import Any, NamedTuple

_SPACE = re.compile(r"[ \t\r\n]*+")
_ESCAPE = re.compile(r"(?<!\\)(?:\\\\)*+\\u(?!00[01])")
"""An escape of a character that JSON does not have to escape, as it does control characters."""
_DECODER = json.JSONDecoder()
_CELL_DEPTH = 3
"""Levels of indentation of a cell's keys."""
_TIMES = "execution"
"""Key of a code cell's metadata with the times of its last run."""


class _Span(NamedTuple):
    """Where a value stands, and with an object's key also where the key begins."""

    first: int
    start: int
    end: int


def with_cell_source(text: str, number: int, source: str) -> str:
    """Return the text with another source of a cell. A code cell loses its outputs, their number and their times.

    Args:
        text: That of a notebook, which has been read without an error.
        number: Position of the cell, from 0.
    """
    cell = _members(text, _cells(text)[number].start)
    changes = [(cell["source"], _spelled(text, cell["source"], source))]
    if json.loads(text[cell["cell_type"].start : cell["cell_type"].end]) == "code":
        emptied = {"outputs": "[]", "execution_count": "null"}
        changes += [(cell[key], value) for key, value in emptied.items() if key in cell]
        if "metadata" in cell:
            metadata = text[cell["metadata"].start : cell["metadata"].end]
            changes.append((cell["metadata"], _without_member(metadata, _TIMES)))
    for span, value in sorted(changes, reverse=True):
        text = text[: span.start] + value + text[span.end :]
    return text


def with_new_cell(text: str, number: int, cell: dict[str, Any]) -> str:
    """Return the text with one more cell.

    Args:
        text: That of a notebook, which has been read without an error.
        number: Position that the cell gets, from 0.
        cell: As in nbformat, its source as one string.
    """
    outer = _members(text, _space_end(text, 0))["cells"]
    cells = _cells(text)
    if not cells:
        margin = _margin(text, outer.first)
        gap = f"\n{margin * 2}" if margin else ""
        closing = f"\n{margin}" if margin else ""
        return (
            f"{text[: outer.start]}[{gap}{_new_cell(text, gap, cell)}{closing}]{text[outer.end :]}"
        )
    gap = text[outer.start + 1 : cells[0].start]
    new = _new_cell(text, gap, cell)
    if number == 0:
        at = cells[0].start
        return f"{text[:at]}{new},{gap}{text[at:]}"
    at = cells[number - 1].end
    return f"{text[:at]},{gap}{new}{text[at:]}"


def _new_cell(text: str, gap: str, cell: dict[str, Any]) -> str:
    """Return a cell as JSON that is written like the other cells.

    Args:
        gap: What stands before a cell in the list.
    """
    lines = {**cell, "source": cell["source"].splitlines(True)}
    line_end, is_ascii = "\r\n" if "\r\n" in gap else "\n", _is_escaped(text)
    if "\n" not in gap:
        return json.dumps(lines, ensure_ascii=is_ascii, sort_keys=True)
    margin = gap.rpartition("\n")[2]
    unit = margin[: max(len(margin) // (_CELL_DEPTH - 1), 1)] or " "
    written = json.dumps(
        lines, ensure_ascii=is_ascii, sort_keys=True, indent=unit, separators=(",", ": ")
    )
    return written.replace("\n", f"{line_end}{margin}")


def _spelled(text: str, span: _Span, source: str) -> str:
    """Return a source as JSON: as one string or a list of lines, as the one that stands there."""
    is_ascii = _is_escaped(text)
    if text[span.start] != "[":
        return json.dumps(source, ensure_ascii=is_ascii)
    lines = [json.dumps(line, ensure_ascii=is_ascii) for line in source.splitlines(True)]
    if not lines:
        return "[]"
    before = _elements(text, span.start)
    if before:
        gap = text[span.start + 1 : before[0].start]
        between = text[before[0].end + 1 : before[1].start] if len(before) > 1 else gap or " "
        closing = text[before[-1].end : span.end - 1]
    else:
        margin = _margin(text, span.first)
        unit = margin[: max(len(margin) // _CELL_DEPTH, 1)]
        between = gap = f"\n{margin}{unit}" if margin else ""
        closing = f"\n{margin}" if margin else ""
    return f"[{gap}{f',{between}'.join(lines)}{closing}]"


def _margin(text: str, at: int) -> str:
    """Return the blanks before what begins a line; empty if something else stands before it."""
    before = text[text.rfind("\n", 0, at) + 1 : at]
    return before if "\n" in text[:at] and not before.strip() else ""


def _is_escaped(text: str) -> bool:
    return text.isascii() and _ESCAPE.search(text) is not None


def _without_member(text: str, key: str) -> str:
    """Return the text of an object without one of its members."""
    spans = _members(text, 0)
    if key not in spans:
        return text
    order = sorted(spans.values())
    at = order.index(spans[key])
    if at:
        return text[: order[at - 1].end] + text[order[at].end :]
    if len(order) > 1:
        return text[: order[0].first] + text[order[1].first :]
    return "{}"


def _cells(text: str) -> list[_Span]:
    return _elements(text, _members(text, _space_end(text, 0))["cells"].start)


def _members(text: str, at: int) -> dict[str, _Span]:
    # The last of several with one key counts, as in JSON.
    return dict(_list_members(text, at))


def _list_members(text: str, at: int) -> Iterator[tuple[str, _Span]]:
    at = _space_end(text, at + 1)
    while text[at] != "}":
        first = at
        key, at = scanstring(text, at + 1)
        start = _space_end(text, _space_end(text, at) + 1)
        end = _DECODER.raw_decode(text, start)[1]
        yield key, _Span(first, start, end)
        at = _next(text, end)


def _elements(text: str, at: int) -> list[_Span]:
    """Return the elements of the list that begins at a place."""
    found = []
    at = _space_end(text, at + 1)
    while text[at] != "]":
        end = _DECODER.raw_decode(text, at)[1]
        found.append(_Span(at, at, end))
        at = _next(text, end)
    return found


def _next(text: str, end: int) -> int:
    """Return where the next member or element begins, or the object or list ends."""
    at = _space_end(text, end)
    return _space_end(text, at + 1) if text[at] == "," else at


def _space_end(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at
