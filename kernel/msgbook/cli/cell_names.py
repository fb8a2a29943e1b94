"""Names of cells on a terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from msgbook.cli.terminal import line_of
from msgbook.notebook import Cell, find_cell, title_of

NO_ID = "-"
"""Result of `shown_id` for a cell without an id."""

_TITLE_LENGTH = 80


def shown_id(cell: Cell) -> str:
    """Return the id of a cell; `NO_ID` for a cell without one, as before nbformat 4.5."""
    return line_of(str(cell.get("id", NO_ID)))


def shown_title(cell: Cell) -> str:
    """Return the title of a cell, or else its first words."""
    return title_of(cell, _TITLE_LENGTH)


def require_cell(cells: list[dict[str, Any]], cell_id: str, path: Path) -> int:
    """Return the number, from 0, of the cell with an id that is or begins with `cell_id`.

    Raises:
        NoSuchCellError: There is no such cell, or more than one.
    """
    return find_cell(cells, cell_id, f"in {path}")
