"""Cells as a terminal shows them, and as somebody names them there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from msgbook.cells import Cell, metadata_of, source_of
from msgbook.commands.failures import CommandError
from msgbook.commands.terminal import line_of

_TITLE_LENGTH = 80
_NAMED = 20
"""How many ids an error names."""


def shown_id(cell: Cell) -> str:
    """The id of a cell; `-` for one of a notebook before nbformat 4.5, which has none."""
    return line_of(str(cell.get("id", "-")))


def title_of(cell: Cell) -> str:
    """The title of a cell, else its first line."""
    title = metadata_of(cell).get("title")
    if isinstance(title, str) and title.strip():
        return line_of(title, _TITLE_LENGTH)
    lines = (line for line in source_of(cell).splitlines() if line.strip())
    return line_of(next(lines, ""), _TITLE_LENGTH)


def require_cell(cells: list[dict[str, Any]], cell_id: str, path: Path) -> int:
    """The number, from 0, of the cell with that id.

    Raises:
        CommandError: There is none; names those there are.
    """
    for number, cell in enumerate(cells):
        if cell.get("id") == cell_id:
            return number
    ids = [shown_id(cell) for cell in cells]
    more = f" and {len(ids) - _NAMED} more" if len(ids) > _NAMED else ""
    there = f"there are {', '.join(ids[:_NAMED])}{more}" if ids else "there are no cells"
    raise CommandError(f"{path}: expected the id of a cell, found {cell_id!r}; {there}")
