"""What the pages' last answers held, so that only cells that changed have to be sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from msgbook.notebook.cells import Cell
from msgbook.notebook.transcript import Notebook


class MissingCellError(Exception):
    """A page says that a cell is unchanged, of which nothing is known here."""


@dataclass(frozen=True, slots=True)
class _Answer:
    revision: str
    cells: Mapping[str, Cell]
    """By id."""


_NOTHING = _Answer("", {})


class KnownCells:
    """Puts answers together of what was sent and what was known: one answer for each comm is kept.

    A page names its answers (`revision`), and leaves cells out only where the question said that
    the kernel has its very last one. So answers of one comm have to be taken in order.
    """

    def __init__(self) -> None:
        self._answers: dict[str, _Answer] = {}

    def revision(self, comm_id: str) -> str | None:
        """The name of the answer that is kept of a comm."""
        answer = self._answers.get(comm_id)
        return answer.revision if answer else None

    def forget(self, comm_id: str) -> None:
        """Drop what is kept of a comm."""
        self._answers.pop(comm_id, None)

    def take(self, comm_id: str, data: Mapping[str, Any]) -> Notebook | None:
        """What a page answered, cells that did not change being the objects they were before.

        An answer without a revision is not kept, and leaves the one before where it is.

        Returns:
            None where the page does not hold the cell that was asked for.

        Raises:
            MissingCellError: It leaves out a cell that is not known; all have to be asked for.
        """
        cells, revision, metadata = (data.get(key) for key in ("cells", "revision", "metadata"))
        metadata = metadata if isinstance(metadata, dict) else {}
        if not isinstance(cells, list) or not all(isinstance(cell, dict) for cell in cells):
            return None
        before = self._answers.get(comm_id, _NOTHING)
        if not isinstance(revision, str):
            return Notebook(_completed(cells, before), metadata)
        # Should something be missing: the one before is not the page's last answer any more.
        self.forget(comm_id)
        whole = _completed(cells, before)
        by_id = {cell["id"]: cell for cell in whole if isinstance(cell.get("id"), str)}
        self._answers[comm_id] = _Answer(revision, by_id)
        return Notebook(whole, metadata)


def _completed(cells: Sequence[Cell], before: _Answer) -> list[Cell]:
    return [_known(cell, before.cells) if _is_unchanged(cell) else cell for cell in cells]


def _is_unchanged(cell: Cell) -> bool:
    return cell.get("unchanged") is True and "cell_type" not in cell


def _known(cell: Cell, known: Mapping[str, Cell]) -> Cell:
    cell_id = cell.get("id")
    if not isinstance(cell_id, str) or cell_id not in known:
        raise MissingCellError
    return known[cell_id]
