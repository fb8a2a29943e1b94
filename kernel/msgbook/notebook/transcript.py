"""The transcript of a running cell: from the live notebook, or else from the cells that this session has run."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from msgbook.notebook.cells import Cell, has_run, source_of
from msgbook_format.turn import TURN_MIME, Turn
from msgbook_format.typed import as_text

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


# The cells that this session has run: prompts with their turns, code with its outputs.


KEPT_CHARACTERS = 100_000_000
"""Characters of code cells' outputs that a session keeps. Above that, the oldest outputs are dropped."""

_DROPPED = "[This output is not kept: the outputs of the session have become too large.]\n"

_NO_VERSION = object()
"""A version that no file has."""


class CodeOutputs(Protocol):
    """The outputs of a code cell; they may grow after the cell has ended."""

    @property
    def size(self) -> int:
        """Number of characters."""
        ...

    @property
    def outputs(self) -> Sequence[Mapping[str, Any]]:
        """Outputs as in nbformat."""
        ...


@dataclass(frozen=True, slots=True)
class RequestedCell:
    """A cell that a client asks to run, as its `execute_request` describes it.

    All but the source may be forged.
    """

    source: str
    cell_id: str | None = None
    msgbook_metadata: Mapping[str, Any] = field(default_factory=dict)
    """The cell's `metadata.msgbook`, if the client sends it."""
    path: Path | None = None
    """The notebook's file, if the client names it."""
    position: int | None = None
    """Index among the notebook's cells, from 0; it may be out of date."""
    is_console: bool = False
    """Whether the client is a console and shows no notebook."""
    client_session: str | None = None
    """Session in the request's header: it tells one page from another."""

    @property
    def metadata(self) -> dict[str, Any]:
        """The cell's metadata that the client sends."""
        return {"msgbook": self.msgbook_metadata} if self.msgbook_metadata else {}


@dataclass(slots=True)
class ExecutedCell:
    """A cell that this session has run."""

    requested: RequestedCell
    metadata: Mapping[str, Any]
    turn: Turn | None = None
    code_outputs: CodeOutputs | None = None
    saved_id: str | None = None
    """Its id in the notebook's file, if the file was read when the cell ran."""
    version: Hashable = None
    """Version of the notebook's file when the cell ended. Later versions contain the run."""
    is_dropped: bool = False
    """Whether its outputs were too large to keep."""

    @property
    def cell(self) -> Cell:
        """The cell as in nbformat."""
        return {
            **({} if self.requested.cell_id is None else {"id": self.requested.cell_id}),
            "cell_type": "code",
            "source": self.requested.source,
            "metadata": self.metadata,
            "outputs": self.outputs,
        }

    @property
    def outputs(self) -> list[Mapping[str, Any]]:
        """Outputs as in nbformat."""
        if self.turn:
            return [{"output_type": "display_data", "data": {TURN_MIME: self.turn}}]
        if self.is_dropped:
            return [{"output_type": "stream", "name": "stderr", "text": _DROPPED}]
        return list(self.code_outputs.outputs) if self.code_outputs else []


class SessionMemory:
    """The cells that this kernel has run, in the order of the notebook.

    If a client sends cell ids, a cell that runs again keeps its position, and the cells below it do
    not count as earlier ones. Without ids (nbclient, papermill) only the order of execution is known.
    """

    def __init__(self) -> None:
        self._cells: dict[str, ExecutedCell] = {}
        self._cells_without_id = 0
        self._deleted: dict[str, Hashable] = {}
        self.metadata: Mapping[str, Any] = {}
        """The notebook's metadata, as a page or a file showed it last."""

    def is_deleted(self, cell_id: Any, version: Hashable = None) -> bool:
        """Return whether a cell was deleted from the notebook in this session.

        Args:
            version: Version of the file that contains the cell. If it is newer than the deletion,
                the file is right.
        """
        return isinstance(cell_id, str) and self._deleted.get(cell_id, _NO_VERSION) == version

    def executed_above(self, cell_id: str | None) -> list[ExecutedCell]:
        """Return the executed cells above the cell with that id, or all of them."""
        executed = []
        for key, cell in self._cells.items():
            if key == cell_id:
                break
            executed.append(cell)
        return executed

    def cells_above(self, cell_id: str | None) -> list[Cell]:
        """Return the same cells as in nbformat."""
        return [executed.cell for executed in self.executed_above(cell_id)]

    def with_runs(self, cells: Sequence[Cell]) -> list[Cell]:
        """Return cells of a page or a file, of which those that this session has run count as run.

        The page may not have the reply to the last cell yet, and a file may be older than the run.
        """
        return [self._as_run(cell) for cell in cells]

    def _as_run(self, cell: Cell) -> Cell:
        if cell.get("cell_type") != "code" or has_run(cell):
            return cell
        cell_id = cell.get("id")
        executed = self._cells.get(as_text(cell_id))
        if executed is None or executed.requested.source != source_of(cell):
            return cell
        return {key: value for key, value in cell.items() if key != "execution_count"}

    def saved_id_of(self, cell_id: str | None) -> str | None:
        """Return the id that an executed cell has in the notebook's file, if it is known."""
        executed = self._cells.get(cell_id) if cell_id is not None else None
        return executed.saved_id if executed else None

    def remember(
        self,
        requested: RequestedCell,
        turn: Turn | None = None,
        *,
        metadata: Mapping[str, Any] | None = None,
        code_outputs: CodeOutputs | None = None,
        saved_id: str | None = None,
        version: Hashable = None,
    ) -> ExecutedCell:
        """Keep a cell that runs or has run: a prompt with its turn, code, or a `%model NAME` line.

        Args:
            metadata: The cell's metadata, if more is known than the client sends.
        """
        if requested.cell_id is None:
            self._cells_without_id += 1
        # No cell id contains a blank, so the two kinds of keys never collide.
        key = (
            requested.cell_id if requested.cell_id is not None else f"run {self._cells_without_id}"
        )
        self._deleted.pop(key, None)
        known = metadata if isinstance(metadata, Mapping) else requested.metadata
        executed = ExecutedCell(requested, dict(known), turn, code_outputs, saved_id, version)
        self._cells[key] = executed
        self._drop_outputs(executed)
        return executed

    def forget(self, cell_ids: Iterable[Any], *, version: Hashable = None) -> None:
        """Drop cells that were deleted from the notebook.

        Args:
            version: The present version of the notebook's file.
        """
        for cell_id in cell_ids:
            if isinstance(cell_id, str):
                self._cells.pop(cell_id, None)
                self._deleted[cell_id] = version

    def _drop_outputs(self, last: ExecutedCell) -> None:
        """Drop the oldest outputs until the rest can be kept; those of `last` stay."""
        with_outputs = [cell for cell in self._cells.values() if cell.code_outputs]
        size = sum(cell.code_outputs.size for cell in with_outputs if cell.code_outputs)
        for cell in with_outputs:
            if size <= KEPT_CHARACTERS:
                return
            if cell is not last and cell.code_outputs:
                size -= cell.code_outputs.size
                cell.code_outputs, cell.is_dropped = None, True
