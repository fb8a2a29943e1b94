"""The notebook of a turn that no page shows: its tools read and change the document, and the file with it."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any, NoReturn

from msgbook.cassette import CellChange
from msgbook.errors import ToolError, describe_file_error
from msgbook.ids import Ids
from msgbook.notebook import Cell, Document
from msgbook.tools import (
    CellEdit,
    CellInsertion,
    Display,
    NotebookCells,
    with_source,
)
from msgbook_format.errors import MessageFileError


class FileNotebook:
    """The notebook of a document.

    Args:
        cell: The one that runs.
        ids: Make the ids of new cells.
        is_saved: Whether the file is written with each change.
    """

    def __init__(self, document: Document, cell: Cell, ids: Ids, *, is_saved: bool) -> None:
        self._document, self._cell, self._ids = document, cell, ids
        self._is_saved = is_saved
        self.path = document.path
        self.changes: list[CellChange] = []
        """Those that were made, in their order."""

    async def read(self, cell_id: str | None = None) -> NotebookCells:
        """Return all cells; see `RunningNotebook`."""
        cells = self._document.cells
        rule, running = self._document.cell_rule, position_of(cells, self._cell)
        return NotebookCells(list(cells), rule, running=running)

    async def edit(self, edit: CellEdit) -> None:
        """Change a cell; see `RunningNotebook`."""
        cells = self._document.cells
        before = cells[edit.position]
        # Another object: what has been read of the cell is known by it.
        cells[edit.position] = with_source(before, edit.after)

        def undo() -> None:
            cells[edit.position] = before

        self._save(undo)
        kept = deepcopy(before)
        self.changes.append(CellChange(edit.position, before.get("id"), kept))

    async def insert(self, new: CellInsertion) -> str:
        """Insert a cell; see `RunningNotebook`."""
        cells = self._document.cells
        cell = new.cell(self._new_id())
        cells.insert(new.position, cell)
        self._save(lambda: cells.remove(cell))
        self.changes.append(CellChange(new.position, cell["id"], None))
        return str(cell["id"])

    async def run(
        self, cell_id: str, source: str, show: Callable[[str], None], display: Display
    ) -> NoReturn:
        """Raise `ToolError`: no kernel runs here."""
        raise ToolError("No kernel runs here, so no cell can be run.")

    def _save(self, undo: Callable[[], None]) -> None:
        """Write the file, or take the change back.

        Raises:
            ToolError: The file cannot be written, or has changed meanwhile.
        """
        if not self._is_saved:
            return
        try:
            self._document.save()
        except (MessageFileError, OSError) as error:
            undo()
            why = describe_file_error(self._document.path, error)
            raise ToolError(f"Nothing was changed: {why}") from None

    def _new_id(self) -> str:
        taken = {cell.get("id") for cell in self._document.cells}
        while (name := self._ids.new_token(4)) in taken:
            continue
        return name


def position_of(cells: list[dict[str, Any]], cell: Cell) -> int:
    """Return the position of a cell, which others may have been inserted above."""
    return next(position for position, other in enumerate(cells) if other is cell)
