"""What this session has run: prompts with their turns, code with what it put out."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from msgbook.notebook.cells import Cell
from msgbook_format.turn import TURN_MIME, Turn

KEPT_CHARACTERS = 100_000_000
"""Of the outputs of code cells in one session; those that ran first are dropped beyond it."""

_DROPPED = "[This output is not kept: the outputs of the session have become too large.]\n"


class Shown(Protocol):
    """What a code cell puts out; may grow after the cell has ended."""

    @property
    def size(self) -> int:
        """Characters that it holds."""
        ...

    @property
    def outputs(self) -> Sequence[Mapping[str, Any]]:
        """As in nbformat."""
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
class RanCell:
    """A cell that this session has run."""

    requested: RequestedCell
    metadata: Mapping[str, Any]
    turn: Turn | None = None
    shown: Shown | None = None
    saved_id: str | None = None
    """Its id in the notebook's file, where that was read when it ran."""
    version: Hashable = None
    """Of the notebook's file when the cell had ended: what is written later knows of it."""
    is_dropped: bool = False
    """Whether its outputs were too much to keep."""

    @property
    def cell(self) -> Cell:
        """As in nbformat."""
        return {
            **({} if self.requested.cell_id is None else {"id": self.requested.cell_id}),
            "cell_type": "code",
            "source": self.requested.source,
            "metadata": self.metadata,
            "outputs": self.outputs,
        }

    @property
    def outputs(self) -> list[Mapping[str, Any]]:
        """As in nbformat."""
        if self.turn:
            return [{"output_type": "display_data", "data": {TURN_MIME: self.turn}}]
        if self.is_dropped:
            return [{"output_type": "stream", "name": "stderr", "text": _DROPPED}]
        return list(self.shown.outputs) if self.shown else []


class SessionMemory:
    """The cells that this kernel has run, in the order of the notebook it serves.

    A client that sends cell ids can run a cell again: it then stands where it stood, and the cells
    below it are not its past. Without ids (nbclient, papermill) order of execution is all there is.
    """

    def __init__(self) -> None:
        self._cells: dict[str, RanCell] = {}
        self._unnamed = 0
        self._deleted: dict[str, Hashable] = {}
        self.metadata: Mapping[str, Any] = {}
        """The notebook's, as a page or a file showed it last."""

    def is_deleted(self, cell_id: Any, version: Hashable = None) -> bool:
        """Whether a cell was deleted from the notebook in this session.

        Args:
            version: Of the file that shows it: one that was written later is right.
        """
        return isinstance(cell_id, str) and self._deleted.get(cell_id, _NEVER) == version

    def ran(self, cell_id: str | None) -> list[RanCell]:
        """What ran of the cells above the one with that id, or of all."""
        ran = []
        for key, one in self._cells.items():
            if key == cell_id:
                break
            ran.append(one)
        return ran

    def earlier(self, cell_id: str | None) -> list[Cell]:
        """The remembered cells above the one with that id, or all of them."""
        return [one.cell for one in self.ran(cell_id)]

    def saved_id(self, cell_id: str | None) -> str | None:
        """The id in the notebook's file of a cell that ran before, where it is known."""
        one = self._cells.get(cell_id) if cell_id is not None else None
        return one.saved_id if one else None

    def remember(
        self,
        requested: RequestedCell,
        turn: Turn | None = None,
        *,
        metadata: Mapping[str, Any] | None = None,
        shown: Shown | None = None,
        saved_id: str | None = None,
        version: Hashable = None,
    ) -> RanCell:
        """Keep a cell that runs, or has run: a prompt with its turn, code, a `%model NAME` line.

        Args:
            metadata: The cell's, where more is known than the client sends.
        """
        if requested.cell_id is None:
            self._unnamed += 1
        # A key with a blank is no cell id, so that the two kinds do not meet.
        key = requested.cell_id if requested.cell_id is not None else f"run {self._unnamed}"
        self._deleted.pop(key, None)
        known = metadata if isinstance(metadata, Mapping) else requested.metadata
        self._cells[key] = one = RanCell(requested, dict(known), turn, shown, saved_id, version)
        self._drop_outputs(one)
        return one

    def forget(self, cell_ids: Iterable[Any], *, version: Hashable = None) -> None:
        """Drop cells that were deleted from the notebook.

        Args:
            version: Of the notebook's file by now.
        """
        for cell_id in cell_ids:
            if isinstance(cell_id, str):
                self._cells.pop(cell_id, None)
                self._deleted[cell_id] = version

    def _drop_outputs(self, last: RanCell) -> None:
        """Drop the outputs of those that ran first, until the rest can be kept."""
        kept = [one for one in self._cells.values() if one.shown]
        size = sum(one.shown.size for one in kept if one.shown)
        for one in kept:
            if size <= KEPT_CHARACTERS:
                return
            if one is not last and one.shown:
                size -= one.shown.size
                one.shown, one.is_dropped = None, True


_NEVER = object()
"""The version of a file that there is not."""
