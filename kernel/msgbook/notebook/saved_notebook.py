"""The saved notebook, read again only when its file has changed, and the transcript from it."""

from __future__ import annotations

import stat
from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from msgbook.notebook.cells import NOTEBOOK_SUFFIX, Cell, id_of, outputs_of, source_of
from msgbook.notebook.transcript import ExecutedCell, RequestedCell, SessionMemory, Transcript
from msgbook_format.files import AGENT_SUFFIXES
from msgbook_format.garbage import paused
from msgbook_format.turn import turn_of

SESSION_VARIABLE = "JPY_SESSION_NAME"

_SUFFIXES = (NOTEBOOK_SUFFIX, ".md", *AGENT_SUFFIXES)
"""Endings of the names of files that hold a notebook."""

SIZE_LIMIT = 500_000_000
"""Bytes of the largest file that is read; as values it takes several times as much memory."""


def session_notebook_file(environ: Mapping[str, str]) -> Path | None:
    """Return the file of the notebook that a Jupyter server started this kernel for.

    The server names the file in `JPY_SESSION_NAME` when the kernel starts. Clients without a server
    (nbclient, `jupyter console`) do not set the variable. For a session without a name it is a folder.

    Returns:
        None if the variable does not name an existing text or notebook file.
    """
    return find_notebook_file(environ.get(SESSION_VARIABLE, ""))


def find_notebook_file(name: str) -> Path | None:
    """Return the path if it is absolute and names an existing text or notebook file."""
    path = Path(name)
    if not path.is_absolute() or path.suffix not in _SUFFIXES:
        return None
    return path if file_version(path) is not None else None


def file_version(path: Path | None) -> Hashable:
    """Return a value that changes whenever the file is written; None if the file cannot be read."""
    try:
        found = path.stat() if path is not None else None
    except (OSError, ValueError):
        return None
    if found is None or not stat.S_ISREG(found.st_mode) or found.st_size > SIZE_LIMIT:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


@dataclass(frozen=True, slots=True)
class SavedNotebook:
    """A notebook as it was last saved."""

    cells: Sequence[Cell]
    metadata: Mapping[str, Any]
    version: Hashable

    def find_position(self, requested: RequestedCell, saved_id: str | None = None) -> int | None:
        """Return the position of the running cell: found by its id, else by its source if only one has it.

        Args:
            saved_id: The cell's id in the file, if it ran before.
        """
        codes = [n for n, cell in enumerate(self.cells) if cell.get("cell_type") == "code"]
        for cell_id in (requested.cell_id, saved_id):
            named = [n for n in codes if cell_id is not None and self.cells[n].get("id") == cell_id]
            if len(named) == 1 and (
                cell_id == requested.cell_id or self._has_source(named[0], requested)
            ):
                return named[0]
        same = [n for n in codes if self._has_source(n, requested)]
        if len(same) > 1:
            same = [n for n in same if n == requested.position]
        return same[0] if len(same) == 1 else None

    def _has_source(self, position: int, requested: RequestedCell) -> bool:
        return source_of(self.cells[position]) == requested.source


class SavedNotebookReader:
    """Reads a notebook's file, and again only when it has changed."""

    def __init__(self) -> None:
        self._last: tuple[Path, SavedNotebook] | None = None

    def read(self, path: Path) -> SavedNotebook | None:
        """Return the notebook; None if it cannot be read. Reads the whole file, so call it in a thread."""
        version = file_version(path)
        if version is None:
            return None
        if self._last and self._last[0] == path and self._last[1].version == version:
            return self._last[1]
        # Imported here: the kernel starts without the format.
        from msgbook.notebook.conversation_file import Document, DocumentError

        try:
            with paused():
                document = Document.read(path)
        except DocumentError:
            return None
        saved = SavedNotebook(document.cells, document.notebook["metadata"], version)
        self._last = (path, saved)
        return saved


# The transcript from the saved notebook, for a running cell that no page shows.


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
