"""Cells by name: how a person names one, and is told of one. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import takewhile

from msgbook.errors import MsgbookError
from msgbook.notebook.cells import Cell, metadata_of, parse_prompt, source_of
from msgbook.text import one_line, visible

_BEGINNING = 4
"""Characters that a beginning of an id has at least."""
_SHOWN_ID = 8
"""Characters of an id that are shown, unless several cells have these. Labels in a text file are
as long (docs/format.md, section 5)."""
_LISTED = 10


class NoSuchCellError(MsgbookError):
    """A name means no cell, or more than one; the details are ids of cells that may be meant."""

    def __init__(self, message: str, details: Sequence[str]) -> None:
        super().__init__(message)
        self.details = details


def title_of(cell: Cell, limit: int = 40) -> str:
    """The first words of a cell."""
    source = source_of(cell)
    text = parse_prompt(source).text if cell.get("cell_type") == "code" else source
    line = "".join(c for c in one_line(text, limit + 1) if c.isprintable())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def named(cells: Sequence[Cell], position: int) -> str:
    """How a person is told of a cell: its place, from 1, and its first words."""
    return f"cell {position + 1} ({title_of(cells[position])})"


def named_with_id(cells: Sequence[Cell], position: int) -> str:
    """The same with what `find_cell` finds it by: `cell 3 [5fb8acd8] (Summarise a log)`."""
    shown = visible(_short_id(cells, position))
    mark = f" [{shown}]" if shown else ""
    return f"cell {position + 1}{mark} ({title_of(cells[position])})"


def find_cell(cells: Sequence[Cell], name: str, where: str) -> int:
    """The position of the cell that a name means.

    It is the cell with that id, of several the last; else the one with that label in the text
    file which it was read from; else the only one whose id begins so, with four characters or more.

    Args:
        where: Of which cells an error speaks: `above`, `in chat.msg.md`.

    Raises:
        NoSuchCellError: There is none, or more than one.
    """
    ids = list(map(_id_of, cells))
    found = [i for i, cell_id in enumerate(ids) if cell_id and cell_id == name]
    found = found or [i for i, cell in enumerate(cells) if _label_of(cell) == name]
    if not found and len(name) >= _BEGINNING:
        found = [i for i, cell_id in enumerate(ids) if cell_id.startswith(name)]
    if len({ids[i] for i in found}) == 1:
        return found[-1]
    if found:
        words = f"{len(found)} cells {where} may be meant by {_quoted(name)}"
        raise _error(words, cells, found)
    words = f"no cell {where} has the id {_quoted(name)}"
    if not any(ids):
        raise NoSuchCellError(f"{words}, nor any other", [])
    if len(name) < _BEGINNING:
        words += f" (the first {_BEGINNING} characters of a longer one are enough)"
    raise _error(f"{words}; the nearest are", cells, _near(ids, name))


def _error(words: str, cells: Sequence[Cell], positions: Sequence[int]) -> NoSuchCellError:
    listed = [f"{visible(_id_of(cells[i]))} ({title_of(cells[i])})" for i in positions[:_LISTED]]
    if len(positions) > _LISTED:
        listed.append(f"... and {len(positions) - _LISTED} more")
    return NoSuchCellError(f"{words}:", listed)


def _near(ids: Sequence[str], name: str) -> list[int]:
    """Positions of the ids that begin most like a name; all, where none begins like it."""
    shared = [_shared(cell_id, name) for cell_id in ids]
    most = max(shared, default=0)
    return [i for i, cell_id in enumerate(ids) if cell_id and shared[i] == most]


def _short_id(cells: Sequence[Cell], position: int) -> str:
    """The shortest beginning of a cell's id, from eight characters on, that no other cell has."""
    own = _id_of(cells[position])
    alike = {one for one in map(_id_of, cells) if one.startswith(own[:_SHOWN_ID])} - {own}
    shared = max((_shared(own, other) for other in alike), default=0)
    return own[: max(_SHOWN_ID, shared + 1)]


def _shared(one: str, other: str) -> int:
    """Characters with which both begin."""
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _id_of(cell: Cell) -> str:
    """The id of a cell that may come from anywhere; empty for one that has none."""
    cell_id = cell.get("id")
    return cell_id if isinstance(cell_id, str) else ""


def _label_of(cell: Cell) -> str | None:
    """What a text file calls the cell, if its spelling there was kept: a label that is not the id."""
    # A kernel starts without the format.
    from msgbook_format.syntax.lines import Escaper
    from msgbook_format.syntax.text_cell import parse_text_cell

    text = metadata_of(cell).get("text")
    spelling = text.get("cell") if isinstance(text, Mapping) else None
    if not isinstance(spelling, str):
        return None
    return parse_text_cell(spelling.partition("\n")[0], Escaper.for_heading(None)).label


def _quoted(name: str) -> str:
    return repr(one_line(name, 80))
