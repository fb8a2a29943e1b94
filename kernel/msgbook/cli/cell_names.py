"""Cells as a terminal shows them, and as somebody names them there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from msgbook.cli.terminal import line_of
from msgbook.notebook import Cell

NO_ID = "-"
"""What `shown_id` gives for a cell without one."""

_TITLE_LENGTH = 80


def shown_id(cell: Cell) -> str:
    """The id of a cell; `NO_ID` for one of a notebook before nbformat 4.5, which has none."""
    return line_of(str(cell.get("id", NO_ID)))


def shown_title(cell: Cell) -> str:
    """Return the title of a cell, or else its first words."""
    from msgbook.notebook import title_of

    return title_of(cell, _TITLE_LENGTH)


def require_cell(cells: list[dict[str, Any]], cell_id: str, path: Path) -> int:
    """The number, from 0, of the cell with that id, or the one that it is the beginning of.

    Raises:
        NoSuchCellError: There is none, or more than one.
    """
    from msgbook.notebook import find_cell

    return find_cell(cells, cell_id, f"in {path}")
