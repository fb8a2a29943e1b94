"""The names of cells: how a person names a cell, and how messages name it. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import takewhile

from msgbook.errors import MsgbookError
from msgbook.notebook.cells import Cell, id_of, metadata_of, parse_prompt, source_of
from msgbook.text import one_line, visible

_MIN_PREFIX = 4
"""Characters that the beginning of an id needs at least."""
_SHOWN_ID = 8
"""Characters of an id that are shown, unless several cells begin with them. Labels in a text file
have the same length (docs/format.md, section 5)."""
_LISTED = 10
"""Cells that an error lists."""
_TITLE_LENGTH = 40


class NoSuchCellError(MsgbookError):
    """A name that fits no cell, or more than one. The details list the cells that may be meant."""

    def __init__(self, message: str, details: Sequence[str]) -> None:
        super().__init__(message)
        self.details = details


def title_of(cell: Cell, limit: int = _TITLE_LENGTH) -> str:
    """Return the title of a cell, or else its first words, on one line of `limit` characters."""
    text = metadata_of(cell).get("title")
    if not isinstance(text, str) or not text.strip():
        source = source_of(cell)
        text = parse_prompt(source).text if cell.get("cell_type") == "code" else source
    line = one_line(text, limit + 1)
    if not line.isprintable():
        line = "".join(char for char in line if char.isprintable())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def describe_cell(cells: Sequence[Cell], position: int) -> str:
    """Return a name of a cell for a message, counted from 1: `cell 3 (Summarise a log)`."""
    return f"cell {position + 1} ({title_of(cells[position])})"


def describe_cell_with_id(cells: Sequence[Cell], position: int) -> str:
    """Return the same with an id that `find_cell` finds: `cell 3 [5fb8acd8] (Summarise a log)`."""
    shown = visible(short_id(cells, position))
    bracketed = f" [{shown}]" if shown else ""
    return f"cell {position + 1}{bracketed} ({title_of(cells[position])})"


def find_cell(cells: Sequence[Cell], name: str, where: str) -> int:
    """Return the position of the cell that a name refers to.

    The name is the id of the cell; the last such cell if several have it. Otherwise it is the
    cell's label in its message file, or the first characters of the only id that begins so.

    Args:
        where: The place that an error names: `above`, `in chat.msg.md`.

    Raises:
        NoSuchCellError: The name fits no cell, or more than one.
    """
    ids = list(map(id_of, cells))
    found = [i for i, cell_id in enumerate(ids) if cell_id and cell_id == name]
    found = found or [i for i, cell in enumerate(cells) if _label_of(cell) == name]
    if not found and len(name) >= _MIN_PREFIX:
        found = [i for i, cell_id in enumerate(ids) if cell_id.startswith(name)]
    if len({ids[i] for i in found}) == 1:
        return found[-1]
    if found:
        raise _error(f"{_quoted(name)} fits {len(found)} cells {where}", cells, found)
    message = f"no cell {where} has the id {_quoted(name)}"
    if not any(ids):
        raise NoSuchCellError(f"{message}, nor any other", [])
    if len(name) < _MIN_PREFIX:
        message += f" (the beginning of an id needs {_MIN_PREFIX} characters)"
    nearest = _nearest(ids, name)
    listed = "the nearest are" if len(nearest) < sum(map(bool, ids)) else "the cells are"
    raise _error(f"{message}; {listed}", cells, nearest)


def _error(message: str, cells: Sequence[Cell], positions: Sequence[int]) -> NoSuchCellError:
    listed = [f"{visible(id_of(cells[i]))} ({title_of(cells[i])})" for i in positions[:_LISTED]]
    if len(positions) > _LISTED:
        listed.append(f"... and {len(positions) - _LISTED} more")
    return NoSuchCellError(f"{message}:", listed)


def _nearest(ids: Sequence[str], name: str) -> list[int]:
    """Return the positions of the ids that share the longest beginning with a name; maybe all."""
    shared = [_shared_length(cell_id, name) for cell_id in ids]
    longest = max(shared, default=0)
    return [i for i, cell_id in enumerate(ids) if cell_id and shared[i] == longest]


def short_id(cells: Sequence[Cell], position: int) -> str:
    """Return the beginning of a cell's id: eight characters, or as many as no other id begins with."""
    own = id_of(cells[position])
    similar = {other for other in map(id_of, cells) if other.startswith(own[:_SHOWN_ID])} - {own}
    shared = max((_shared_length(own, other) for other in similar), default=0)
    return own[: max(_SHOWN_ID, shared + 1)]


def _shared_length(first: str, second: str) -> int:
    """Return the number of characters with which both texts begin."""
    pairs = zip(first, second, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _label_of(cell: Cell) -> str | None:
    """Return the label of the cell in its message file, if its spelling was kept: it is not the id."""
    # Imported here: the kernel starts without the format.
    from msgbook_format.syntax import parse_label

    text = metadata_of(cell).get("text")
    spelling = text.get("cell") if isinstance(text, Mapping) else None
    if not isinstance(spelling, str):
        return None
    return parse_label(spelling)


def _quoted(name: str) -> str:
    return repr(one_line(name, 80))
