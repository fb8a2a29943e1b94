"""The saved notebook as a source of the conversation, where no page shows the running cell."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from msgbook.notebook.cells import Cell, outputs_of, source_of
from msgbook.notebook.saved_notebook import Saved
from msgbook.notebook.session_memory import RanCell, RequestedCell, SessionMemory
from msgbook.notebook.transcript import Transcript
from msgbook_format.turn import turn_of

_UNSAVED = (
    "No open page showed this cell: cells that have not run since the notebook was saved were sent "
    "as they were saved. Save it before you run a cell to send all changes."
)

_NOT_FOUND = (
    "No open page showed this cell, and it was not found in the saved notebook: only what this "
    "session has run was sent. Save the notebook and run the cell again to send its other cells, "
    "notes and agents, too."
)

_NO_PAST = (
    "No open page showed this cell, this session has run nothing above it, and it was not found in "
    "the saved notebook: the request starts without history. Save the notebook and run the cell "
    "again to send what stands above it."
)


def with_file(
    session: Transcript,
    requested: RequestedCell,
    saved: Saved | None,
    memory: SessionMemory,
    *,
    is_edited: bool = False,
) -> Transcript:
    """What counts where no page shows the running cell: the file's cells and this session's.

    The file's, in their order, where it holds the running cell: those that have run here since it
    was written as they have run, those that were deleted here not at all, and the session's own
    that are not saved yet behind the one that they followed. Else this session's alone.

    Args:
        session: What the session knows above the running cell.
        saved: None where the file cannot be read.
        is_edited: Whether the notebook may have been edited since, for all that is known.
    """
    place = saved.place_of(requested, memory.saved_id(requested.cell_id)) if saved else None
    if saved is None or place is None:
        return replace(session, note=_NOT_FOUND if session.earlier else _NO_PAST)
    memory.metadata = saved.metadata
    running = saved.cells[place]
    above = _Above(saved, place)
    above.overlay(
        [one for one in memory.ran(None) if one.requested.path == requested.path], requested
    )
    is_edited = is_edited or above.is_newer or source_of(running) != requested.source
    return Transcript(
        "file",
        above.cells(memory),
        {**running, "source": requested.source, "metadata": _metadata(running, requested.metadata)},
        note=_UNSAVED if is_edited else "",
        metadata=saved.metadata,
    )


class _Above:
    """The cells above the running one, as they are put together.

    Args:
        place: Of the running cell in the file.
    """

    def __init__(self, saved: Saved, place: int) -> None:
        self._saved, self._place = saved, place
        self._ran: dict[int, RanCell] = {}
        """What is newer than the file's cell, by its place."""
        self._behind: dict[int, list[Cell]] = {}
        """Cells that are not in the file, by the place of the one that they follow; -1: the top."""

    @property
    def is_newer(self) -> bool:
        """Whether something of it is not saved."""
        return bool(self._ran or self._behind)

    def overlay(self, ran: Sequence[RanCell], requested: RequestedCell) -> None:
        """Lay over the file what has run since it was written."""
        places = _places(self._saved.cells, ran)
        follows = -1
        for number, one in enumerate(ran):
            found = places.get(number)
            if requested.cell_id is not None and one.requested.cell_id == requested.cell_id:
                found = self._place
            follows = follows if found is None else found
            is_newer = one.version == self._saved.version
            if follows >= self._place:
                continue
            if found is None and is_newer:
                self._behind.setdefault(follows, []).append(one.cell)
            elif found is not None and (is_newer or _is_running(self._saved.cells[found])):
                self._ran[found] = one

    def cells(self, memory: SessionMemory) -> list[Cell]:
        """In order of the notebook."""
        cells = list(self._behind.get(-1, ()))
        for place, cell in enumerate(self._saved.cells[: self._place]):
            one = self._ran.get(place)
            if one is not None:
                said = {"source": one.requested.source, "outputs": one.outputs}
                cells.append({**cell, **said, "metadata": _metadata(cell, one.metadata)})
            elif not memory.is_deleted(cell.get("id"), self._saved.version):
                cells.append(cell)
            cells += self._behind.get(place, ())
        return cells


def _places(cells: Sequence[Cell], ran: Sequence[RanCell]) -> dict[int, int]:
    """Where in the file the cells stand that have run: by their ids, else by their sources."""
    ids, sources = {}, defaultdict(list)
    for place, cell in enumerate(cells):
        if cell.get("cell_type") == "code":
            ids[_id(cell)] = place
            sources[source_of(cell)].append(place)
    places: dict[int, int] = {}
    for number, one in enumerate(ran):
        names = (one.requested.cell_id, one.saved_id)
        found = next((ids[name] for name in names if name and name in ids), None)
        if found is not None:
            places[number] = found
    taken = set(places.values())
    times: Counter[str] = Counter()
    for number, one in enumerate(ran):
        free = [place for place in sources[one.requested.source] if place not in taken]
        if number not in places and free:
            # The same text again is the next cell with it, or the last one once more.
            next_one = free[min(times[one.requested.source], len(free) - 1)]
            places[number] = one.requested.position if one.requested.position in free else next_one
            times[one.requested.source] += 1
    return places


def _metadata(cell: Cell, known: Mapping[str, Any]) -> Mapping[str, Any]:
    """A saved cell's, with what is known of it since in its place."""
    metadata = cell.get("metadata")
    return {**(metadata if isinstance(metadata, Mapping) else {}), **known}


def _id(cell: Cell) -> str:
    """The id of a cell that comes from a file, so that it may be anything."""
    cell_id = cell.get("id")
    return cell_id if isinstance(cell_id, str) else ""


def _is_running(cell: Cell) -> bool:
    """Whether it was saved while its turn ran."""
    turns = map(turn_of, outputs_of(cell))
    return any(turn and turn["status"] == "running" for turn in turns)
