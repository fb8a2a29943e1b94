"""How the head of each cell is written: verbatim or anew, and under which label."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from msgbook_format.cells.cell import PREAMBLE, Stretch, read_preamble, read_stretch
from msgbook_format.cells.head import (
    is_plain,
    is_regular,
    same_head,
    same_whole,
    saved_metadata,
)
from msgbook_format.cells.ids import (
    PREAMBLE_ID,
    Claim,
    is_cell_id,
    may_be_derived,
    nameless_label,
)
from msgbook_format.spelling import respell
from msgbook_format.syntax import jsontext
from msgbook_format.syntax.dialect import Context
from msgbook_format.syntax.text_cell import Segment, Unit, format_unit, split_cells, split_outputs

_PREAMBLE_METADATA = {"msgbook": {"type": PREAMBLE}}

FitsStart = Callable[[str], bool]
"""Whether a text without marker would stay content where the first cell begins."""


@dataclass(slots=True)
class Head:
    """A cell and how its head is written."""

    cell: dict[str, Any]
    unit: Unit
    verbatim: Stretch | None
    """What its own spelling says, if that still says this cell."""
    bare: bool
    """Whether it is text without a marker, before the first one."""
    unnamed: bool
    """Whether it is written without id."""

    @property
    def id(self) -> str | None:
        """The id of the cell."""
        cell_id = self.cell.get("id")
        return cell_id if isinstance(cell_id, str) else None

    @property
    def source(self) -> str:
        """The source of the cell."""
        source = self.cell.get("source")
        return source if isinstance(source, str) else ""

    @property
    def whole(self) -> bool:
        """Whether it holds all of the cell, as JSON."""
        return self.verbatim.whole if self.verbatim else self.unit.kind == "nb"

    @property
    def code(self) -> bool:
        """Whether everything below it is code output."""
        if self.verbatim:
            return self.verbatim.code
        return self.unit.kind == "code" and self.cell["cell_type"] == "code"

    @property
    def base(self) -> str:
        """What the labels of the units below it begin with."""
        label = self.verbatim.unit.label if self.verbatim else self.unit.label
        return label or self.id or self.nameless

    @property
    def nameless(self) -> str:
        """A label for a cell without id.

        What is attached changes less often than the source, and has lines of the label's own.
        """
        attachments = self.cell.get("attachments")
        return nameless_label(jsontext.dumps(attachments) if attachments else self.source)

    @property
    def claim(self) -> Claim:
        """What a reader will see about its id."""
        if self.verbatim:
            return self.verbatim.claim
        if self.bare:
            return Claim(PREAMBLE_ID, "")
        cell_id = None if self.unnamed else self.id
        return Claim(cell_id if is_cell_id(cell_id) else None, self.source)

    def name(self, ctx: Context) -> None:
        """Write it with its id: into its own spelling, if that only lacks an id, or anew."""
        named = None
        # Any other id is that of a copy, and no two cells should have one label.
        if self.verbatim and self.id is not None and _is_lost(self.id, self.verbatim):
            named = respell.name(self.verbatim, self.id, ctx)
        self.verbatim, self.bare, self.unnamed = named, False, False

    def text(self, ctx: Context) -> str:
        """The head without a newline at its end."""
        if self.verbatim:
            return self.verbatim.head.core
        if self.bare:
            return ctx.escaper.escape(self.unit.body)
        return format_unit(self.unit, "# %%", ctx.escaper)


def verbatim_bits(cell: dict[str, Any]) -> dict[str, str]:
    """`metadata.msgbook.text` of a cell or notebook, as far as it is what it should be."""
    metadata = cell.get("metadata")
    ours = metadata.get("msgbook") if isinstance(metadata, dict) else None
    bits = ours.get("text") if isinstance(ours, dict) else None
    if not isinstance(bits, dict):
        return {}
    return {key: value for key, value in bits.items() if isinstance(value, str)}


def is_trailing_blank(head: Head) -> bool:
    """Whether this is the empty cell that a notebook editor keeps at the end."""
    cell = head.cell
    return (
        head.verbatim is None
        and is_plain(cell)
        and cell["cell_type"] == "code"
        and not cell["source"]
        and not cell["outputs"]
        and cell["execution_count"] is None
        and not saved_metadata(cell["metadata"])
    )


def read_verbatim(
    cell: dict[str, Any], unit: Unit, ctx: Context, fits_start: FitsStart | None
) -> Stretch | None:
    """What the spelling of a cell says, with what was edited since; None to write it anew."""
    text = verbatim_bits(cell).get("cell")
    if text is None:
        return None
    stretch = read_stretch(text, ctx)
    if stretch is None:
        if fits_start is None or split_cells(text)[1] or not fits_start(text):
            return None
        stretch = read_preamble(Segment.of(text), ctx)
    if stretch.whole:
        return stretch if same_whole(stretch.cell, cell) else None
    if not is_regular(cell):
        return None
    found: Stretch | None = stretch
    if not same_head(stretch.cell, cell):
        found = respell.respell(stretch, cell, unit, ctx) if is_plain(cell) else None
    below = cell.get("outputs") or cell.get("attachments") or cell.get("execution_count")
    if found and below and split_outputs(found.head.core):
        return None
    return found


def is_preamble(cell: dict[str, Any], ctx: Context, fits_start: FitsStart) -> bool:
    return (
        cell.get("id") == PREAMBLE_ID
        and is_plain(cell)
        and cell["cell_type"] == "markdown"
        and saved_metadata(cell["metadata"]) == _PREAMBLE_METADATA
        and "attachments" not in cell
        and cell["source"] != ""
        and fits_start(ctx.escaper.escape(cell["source"]))
    )


def _is_lost(cell_id: str, stretch: Stretch) -> bool:
    """Whether an id followed from a source, and its text does not name it yet."""
    return is_cell_id(cell_id) and may_be_derived(cell_id) and stretch.claim.id != cell_id
