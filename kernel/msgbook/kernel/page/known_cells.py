"""The cells of the pages' last answers: a page sends only the cells that have changed since."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from msgbook.notebook import Cell, Notebook


class MissingCellError(Exception):
    """A page calls a cell unchanged that is not known here."""


@dataclass(frozen=True, slots=True)
class _Answer:
    revision: str
    cells: Mapping[str, Cell]
    """By id."""


_NO_ANSWER = _Answer("", {})


class KnownCells:
    """Completes answers with the cells of the answer before; it keeps one answer for each comm.

    A page gives each answer a name, its `revision`. It leaves cells out only if the question names
    the page's latest answer. So the answers of one comm have to be completed in their order.
    """

    def __init__(self) -> None:
        self._answers: dict[str, _Answer] = {}

    def revision(self, comm_id: str) -> str | None:
        """Return the name of the answer that is kept for a comm; None for none."""
        answer = self._answers.get(comm_id)
        return answer.revision if answer else None

    def forget(self, comm_id: str) -> None:
        """Drop the answer that is kept for a comm."""
        self._answers.pop(comm_id, None)

    def complete(self, comm_id: str, data: Mapping[str, Any]) -> Notebook | None:
        """Return the notebook of an answer, with the same objects for cells that did not change.

        An answer without a revision is not kept, and does not replace the one before.

        Returns:
            None if the page does not have the cell that was asked for.

        Raises:
            MissingCellError: The answer leaves out an unknown cell; ask for all cells.
        """
        cells, revision, metadata = (data.get(key) for key in ("cells", "revision", "metadata"))
        metadata = metadata if isinstance(metadata, dict) else {}
        if not isinstance(cells, list) or not all(isinstance(cell, dict) for cell in cells):
            return None
        before = self._answers.get(comm_id, _NO_ANSWER)
        if not isinstance(revision, str):
            return Notebook(_completed(cells, before), metadata)
        # Also if a cell is missing: the answer before is no longer the page's latest.
        self.forget(comm_id)
        completed = _completed(cells, before)
        by_id = {cell["id"]: cell for cell in completed if isinstance(cell.get("id"), str)}
        self._answers[comm_id] = _Answer(revision, by_id)
        return Notebook(completed, metadata)


def _completed(cells: Sequence[Cell], before: _Answer) -> list[Cell]:
    return [_known_cell(cell, before.cells) if _is_unchanged(cell) else cell for cell in cells]


def _is_unchanged(cell: Cell) -> bool:
    return cell.get("unchanged") is True and "cell_type" not in cell


def _known_cell(cell: Cell, known: Mapping[str, Cell]) -> Cell:
    cell_id = cell.get("id")
    if not isinstance(cell_id, str) or cell_id not in known:
        raise MissingCellError
    return known[cell_id]
