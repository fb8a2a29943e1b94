"""The transcript from the saved notebook, for a running cell that no page shows."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from msgbook.notebook.cells import Cell, id_of, outputs_of, source_of
from msgbook.notebook.saved_notebook import SavedNotebook
from msgbook.notebook.session_memory import ExecutedCell, RequestedCell, SessionMemory
from msgbook.notebook.transcript import Transcript
from msgbook_format.turn import turn_of

_UNSAVED = (
    "No open page showed this cell, so the cells that have not run since the notebook was saved "
    "were sent as they were saved. To send all changes, save the notebook before you run a cell."
)

_NOT_FOUND = (
    "No open page showed this cell, and the saved notebook does not contain it: only what this "
    "session has run was sent. To send the notebook's other cells, notes and agents too, save the "
    "notebook and run the cell again."
)

_NO_HISTORY = (
    "No open page showed this cell, this session has run nothing above it, and the saved notebook "
    "does not contain it: the request starts without history. To send the cells above, save the "
    "notebook and run the cell again."
)


def merge_saved_cells(
    session: Transcript,
    requested: RequestedCell,
    saved: SavedNotebook | None,
    memory: SessionMemory,
    *,
    is_edited: bool = False,
) -> Transcript:
    """Return the transcript of a running cell that no page shows.

    If the file contains the running cell, the transcript has the file's cells in their order:
    cells that ran here after the file was written as they ran, without the cells that were deleted
    here, and with each unsaved cell of this session after the cell that it followed. Otherwise the
    transcript is the session's.

    Args:
        session: The session's transcript of the running cell.
        saved: None if the file cannot be read.
        is_edited: Whether the notebook may have been edited since it was saved.
    """
    position = (
        saved.find_position(requested, memory.saved_id_of(requested.cell_id)) if saved else None
    )
    if saved is None or position is None:
        return replace(session, notice=_NOT_FOUND if session.earlier else _NO_HISTORY)
    memory.metadata = saved.metadata
    running = saved.cells[position]
    earlier = _EarlierCells(saved, position)
    executed = memory.executed_above(None)
    earlier.add_newer(
        [cell for cell in executed if cell.requested.path == requested.path], requested
    )
    is_edited = is_edited or earlier.has_unsaved or source_of(running) != requested.source
    return Transcript(
        "file",
        earlier.list_cells(memory),
        {
            **running,
            "source": requested.source,
            "metadata": _update_metadata(running, requested.metadata),
        },
        notice=_UNSAVED if is_edited else "",
        metadata=saved.metadata,
    )


class _EarlierCells:
    """The cells above the running one: those of the file, and newer ones of the session.

    Args:
        position: Position of the running cell in the file.
    """

    def __init__(self, saved: SavedNotebook, position: int) -> None:
        self._saved, self._position = saved, position
        self._newer: dict[int, ExecutedCell] = {}
        """Cells that ran after the file was written, by their positions in the file."""
        self._inserted: dict[int, list[Cell]] = {}
        """Cells that the file does not contain, by the position of the cell that they follow; -1 for
        those at the top."""

    @property
    def has_unsaved(self) -> bool:
        """True if the session has cells that are not saved."""
        return bool(self._newer or self._inserted)

    def add_newer(self, executed: Sequence[ExecutedCell], requested: RequestedCell) -> None:
        """Add the cells that ran after the file was written."""
        positions = _find_positions(self._saved.cells, executed)
        previous = -1
        for number, cell in enumerate(executed):
            found = positions.get(number)
            if requested.cell_id is not None and cell.requested.cell_id == requested.cell_id:
                found = self._position
            previous = previous if found is None else found
            is_newer = cell.version == self._saved.version
            if previous >= self._position:
                continue
            if found is None and is_newer:
                self._inserted.setdefault(previous, []).append(cell.cell)
            elif found is not None and (is_newer or _has_running_turn(self._saved.cells[found])):
                self._newer[found] = cell

    def list_cells(self, memory: SessionMemory) -> list[Cell]:
        """Return the cells in the order of the notebook."""
        cells = list(self._inserted.get(-1, ()))
        for position, cell in enumerate(self._saved.cells[: self._position]):
            newer = self._newer.get(position)
            if newer is not None:
                changed = {"source": newer.requested.source, "outputs": newer.outputs}
                metadata = _update_metadata(cell, newer.metadata)
                cells.append({**cell, **changed, "metadata": metadata})
            elif not memory.is_deleted(cell.get("id"), self._saved.version):
                cells.append(cell)
            cells += self._inserted.get(position, ())
        return cells


def _find_positions(cells: Sequence[Cell], executed: Sequence[ExecutedCell]) -> dict[int, int]:
    """Return the position in the file of each executed cell: found by its id, else by its source."""
    by_id, by_source = {}, defaultdict(list)
    for position, cell in enumerate(cells):
        if cell.get("cell_type") == "code":
            by_id[id_of(cell)] = position
            by_source[source_of(cell)].append(position)
    positions: dict[int, int] = {}
    for number, run in enumerate(executed):
        ids = (run.requested.cell_id, run.saved_id)
        found = next((by_id[name] for name in ids if name and name in by_id), None)
        if found is not None:
            positions[number] = found
    taken = set(positions.values())
    times: Counter[str] = Counter()
    for number, run in enumerate(executed):
        source = run.requested.source
        candidates = [position for position in by_source[source] if position not in taken]
        if number not in positions and candidates:
            # The same source again is the next cell with it, or the last one once more.
            next_one = candidates[min(times[source], len(candidates) - 1)]
            known = run.requested.position
            positions[number] = known if known in candidates else next_one
            times[source] += 1
    return positions


def _update_metadata(cell: Cell, newer: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the metadata of a saved cell, updated with newer values."""
    metadata = cell.get("metadata")
    return {**(metadata if isinstance(metadata, Mapping) else {}), **newer}


def _has_running_turn(cell: Cell) -> bool:
    """Return whether the cell was saved while its turn ran."""
    turns = map(turn_of, outputs_of(cell))
    return any(turn and turn["status"] == "running" for turn in turns)
