"""The transcript of a running cell: from the live notebook, or else from this session."""

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
    """A notebook as a page shows it."""

    cells: Sequence[Cell]
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """The notebook's metadata. It comes from the page, so any value may be of the wrong type."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """The running cell and the cells above it."""

    source: Source
    earlier: Sequence[Cell]
    current: Cell | None = None
    """The running cell, as far as it is known."""
    notice: str = ""
    """Notice for the reader about the source of the cells; empty if everything is as expected."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """The notebook's metadata, as far as it is known. Any value may be of the wrong type."""
    path: Path | None = None
    """The notebook's file, if it is known."""


class LiveNotebook(Protocol):
    """A source of the notebook as the user sees it: the open pages."""

    @property
    def is_connected(self) -> bool:
        """True if a page is connected."""
        ...

    async def cells_through(
        self, cell_id: str, client_session: str | None = None
    ) -> Notebook | None:
        """Return the cells from the first to the one with that id; None if no page answers.

        Args:
            client_session: Client session that sent the request. Its page is asked first.
        """
        ...

    async def all_cells(self) -> Notebook | None:
        """Return all cells without their outputs; None if no page answers at once."""
        ...


async def read_transcript(
    requested: RequestedCell, live: LiveNotebook, memory: SessionMemory
) -> Transcript:
    """Return the transcript from the live notebook, or else from this session.

    The current source of the running cell may differ from the source that was sent to be run.
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
    return Transcript("memory", memory.cells_above(cell_id), current, metadata=memory.metadata)


async def all_cells(live: LiveNotebook, memory: SessionMemory) -> Notebook:
    """Return the notebook as the user sees it, or else the cells of this session."""
    shown = await live.all_cells() if live.is_connected else None
    return shown if shown and shown.cells else Notebook(memory.cells_above(None))
