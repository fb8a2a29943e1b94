"""Where the earlier cells are: the live notebook, or else what this session has run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from msgbook.notebook.cells import Cell
from msgbook.notebook.session_memory import RequestedCell, SessionMemory

Source = Literal["live", "memory", "file"]


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
    """The running cell, as far as it is known."""
    note: str = ""
    """What a reader should know of where the cells come from; empty where all is as expected."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """The notebook's, as far as it is known; from a page or a file, so that any value may be odd."""
    path: Path | None = None
    """The notebook's file, where it is known."""


class LiveNotebook(Protocol):
    """Somebody who sees the notebook that the user sees."""

    @property
    def is_connected(self) -> bool:
        """Whether there is somebody to ask."""
        ...

    async def cells_through(
        self, cell_id: str, client_session: str | None = None
    ) -> Notebook | None:
        """The cells from the first through the one with that id; None when nobody answers.

        Args:
            client_session: Session of the request: who sent it knows best.
        """
        ...

    async def all_cells(self) -> Notebook | None:
        """All cells, without their outputs; None when nobody answers at once."""
        ...


async def read_transcript(
    requested: RequestedCell, live: LiveNotebook, memory: SessionMemory
) -> Transcript:
    """The cells that count for the running one: the live notebook's, else this session's.

    The running cell may read otherwise by now: it was sent as it stood when it was run.
    """
    cell_id = requested.cell_id
    shown = (
        await live.cells_through(cell_id, requested.client_session)
        if cell_id is not None and live.is_connected
        else None
    )
    if shown and shown.cells and shown.cells[-1].get("id") == cell_id:
        memory.metadata = shown.metadata
        return Transcript("live", shown.cells[:-1], shown.cells[-1], metadata=shown.metadata)
    current: Cell = {
        **({} if cell_id is None else {"id": cell_id}),
        "cell_type": "code",
        "source": requested.source,
        "metadata": requested.metadata,
    }
    return Transcript("memory", memory.earlier(cell_id), current, metadata=memory.metadata)


async def all_cells(live: LiveNotebook, memory: SessionMemory) -> Notebook:
    """What a reader sees, for help while one writes: the notebook, or what the session knows."""
    shown = await live.all_cells() if live.is_connected else None
    return shown if shown and shown.cells else Notebook(memory.earlier(None))
