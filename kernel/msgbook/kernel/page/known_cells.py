"""The cells of the pages' last answers: a page sends only the cells that have changed since."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from msgbook.notebook import Cell, Notebook, is_count


class MissingCellError(Exception):
    """A page calls a cell unchanged that is not known here."""


_KEPT = 8
"""Answers of one comm that later ones may refer to: more questions are hardly open at once."""


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known after an answer."""

    order: tuple[Cell, ...] = ()
    """The cells of the answer itself."""
    by_id: Mapping[str, Cell] = field(default_factory=dict)
    """Also those below, from earlier answers."""


class KnownCells:
    """Completes answers with the cells of the answers before.

    A page gives each answer a name, its `revision`. It leaves out what has not changed since the
    answer that it names as `since`, one that a question has named. Several questions may name the
    same one, because their answers are still to come.
    """

    def __init__(self) -> None:
        self._answers: dict[str, dict[str, _Known]] = {}
        """What was known after each answer, by comm and revision; the latest comes last."""

    def revision(self, comm_id: str) -> str | None:
        """Return the name of the latest answer of a comm; None for none."""
        return next(reversed(self._answers.get(comm_id, {})), None)

    def forget(self, comm_id: str) -> None:
        """Drop the answers of a comm."""
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
        kept = self._answers.get(comm_id, {})
        # A page that does not say which answer it means has the latest one in mind.
        since = data.get("since", self.revision(comm_id))
        before = kept.get(since, _Known()) if isinstance(since, str) else _Known()
        completed = [
            *_first_cells(data.get("same", 0), before.order),
            *(_known_cell(cell, before.by_id) if _is_unchanged(cell) else cell for cell in cells),
        ]
        if isinstance(revision, str):
            by_id = {cell["id"]: cell for cell in completed if isinstance(cell.get("id"), str)}
            # Cells below the one that was asked for are not in the answer, and are still known.
            known = _Known(tuple(completed), {**before.by_id, **by_id})
            kept = {**kept, revision: known}
            self._answers[comm_id] = dict(list(kept.items())[-_KEPT:])
        return Notebook(completed, metadata)


def _is_unchanged(cell: Cell) -> bool:
    return cell.get("unchanged") is True and "cell_type" not in cell


def _first_cells(number: Any, known: Sequence[Cell]) -> Sequence[Cell]:
    if not is_count(number) or number > len(known):
        raise MissingCellError
    return known[:number]


def _known_cell(cell: Cell, known: Mapping[str, Cell]) -> Cell:
    cell_id = cell.get("id")
    if not isinstance(cell_id, str) or cell_id not in known:
        raise MissingCellError
    return known[cell_id]
