"""Where the earlier cells are: the live notebook, or else what this session has run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from msgbook.cells import Cell
from msgbook_format.turn import TURN_MIME, Turn

Source = Literal["live", "memory", "file"]

_NO_PAGE = (
    "No open page showed this cell, so the request was made of the turns of this session. "
    "What else stands in the notebook was not sent."
)


@dataclass(frozen=True, slots=True)
class Notebook:
    """What a page shows."""

    cells: Sequence[Cell]
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """The notebook's own, from the page, so that any value may be odd."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """The cells above the running one, and the one that runs."""

    source: Source
    earlier: Sequence[Cell]
    current: Cell | None = None
    """The running cell as it stands in the notebook; None where only its source is known."""
    note: str = ""
    """What a reader should know of where the cells come from; empty where all is as expected."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """The notebook's, as far as it is known; from a page or a file, so that any value may be odd."""
    path: Path | None = None
    """The notebook's file, where it is known."""
    below: frozenset[str] = frozenset()
    """Ids of the running cell and those below it, where they come from a file."""


class LiveNotebook(Protocol):
    """Somebody who sees the notebook that the user sees."""

    @property
    def connected(self) -> bool:
        """Whether there is somebody to ask."""
        ...

    async def notebook(self, cell_id: str) -> Notebook | None:
        """The cells from the first through the one with that id; None when nobody answers."""
        ...

    async def all_cells(self) -> Notebook | None:
        """All cells, without their outputs; None when nobody answers at once."""
        ...


class SessionMemory:
    """The prompts and turns that this kernel has run, in the order of the notebook it serves.

    A client that sends cell ids can run a cell again: it then stands where it stood, and the cells
    below it are not its past. Without ids (nbclient, papermill) order of execution is all there is.
    """

    def __init__(self) -> None:
        self._cells: dict[str, Cell] = {}
        self._unnamed = 0
        self._deleted: set[str] = set()
        self.metadata: Mapping[str, Any] = {}
        """The notebook's, as a page or a file showed it last."""

    def is_deleted(self, cell_id: Any) -> bool:
        """Whether a cell was deleted from the notebook in this session."""
        return isinstance(cell_id, str) and cell_id in self._deleted

    def earlier(self, cell_id: str | None) -> list[Cell]:
        """The remembered cells above the one with that id, or all of them."""
        cells = []
        for key, cell in self._cells.items():
            if key == cell_id:
                break
            cells.append(cell)
        return cells

    def remember(
        self,
        cell_id: str | None,
        source: str,
        turn: Turn | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> None:
        """Keep a cell that has run: a prompt with its turn, or a `%model NAME` line.

        Args:
            metadata: The cell's, where it is known: it may keep the cell from the model.
        """
        if cell_id is None:
            self._unnamed += 1
        # A key with a blank is no cell id, so that the two kinds do not meet.
        key = cell_id if cell_id is not None else f"run {self._unnamed}"
        self._deleted.discard(key)
        outputs = [{"output_type": "display_data", "data": {TURN_MIME: turn}}] if turn else []
        self._cells[key] = {
            **({} if cell_id is None else {"id": cell_id}),
            "cell_type": "code",
            "source": source,
            "metadata": dict(metadata) if isinstance(metadata, Mapping) else {},
            "outputs": outputs,
        }

    def forget(self, cell_ids: Iterable[Any], *, deleted: bool = True) -> None:
        """Drop cells that were deleted from the notebook, or that hold no prompt any more."""
        for cell_id in cell_ids:
            if isinstance(cell_id, str):
                self._cells.pop(cell_id, None)
                if deleted:
                    self._deleted.add(cell_id)


async def read_transcript(
    cell_id: str | None, live: LiveNotebook, memory: SessionMemory
) -> Transcript:
    """The cells that count for the running one: the live notebook's, else this session's.

    The running cell may read otherwise by now: it was sent as it stood when it was run.
    """
    asked = cell_id is not None and live.connected
    shown = await live.notebook(cell_id) if cell_id is not None and asked else None
    if shown and shown.cells and shown.cells[-1].get("id") == cell_id:
        memory.metadata = shown.metadata
        return Transcript("live", shown.cells[:-1], shown.cells[-1], metadata=shown.metadata)
    note = _NO_PAGE if asked else ""
    return Transcript("memory", memory.earlier(cell_id), note=note, metadata=memory.metadata)


async def all_cells(live: LiveNotebook, memory: SessionMemory) -> Notebook:
    """What a reader sees, for help while one writes: the notebook, or what the session knows."""
    shown = await live.all_cells() if live.connected else None
    return shown if shown and shown.cells else Notebook(memory.earlier(None))
