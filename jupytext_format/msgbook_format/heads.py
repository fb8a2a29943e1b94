"""How the head of each cell is written: verbatim or anew, and under which label."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from msgbook_format.cells import (
    is_plain,
    is_regular,
    same_head,
    same_whole,
    saved_metadata,
    write_cell,
)
from msgbook_format.context import Context
from msgbook_format.ids import (
    PREAMBLE_ID,
    Claim,
    is_cell_id,
    labels,
    may_be_derived,
    nameless_label,
    resolve,
)
from msgbook_format.scan import Segment, Unit, format_unit, split_cells, split_outputs
from msgbook_format.stretch import PREAMBLE, Stretch, read_preamble, read_stretch

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
        return label or self.cell.get("id") or nameless_label(_source(self.cell))

    @property
    def claim(self) -> Claim:
        """What a reader will see about its id."""
        if self.verbatim:
            return self.verbatim.claim
        if self.bare:
            return Claim(PREAMBLE_ID, "")
        cell_id = None if self.unnamed else self.cell.get("id")
        return Claim(cell_id if is_cell_id(cell_id) else None, _source(self.cell))

    def reset(self) -> None:
        """Write it anew, with its id."""
        self.verbatim, self.bare, self.unnamed = None, False, False

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


def plan_heads(
    cells: Sequence[dict[str, Any]],
    ctx: Context,
    fits_start: FitsStart,
    *,
    ids: bool,
    verbatim: bool,
) -> list[Head]:
    """How each cell is written, so that a reader sees the cells with their ids.

    `ids` says whether cells have ids that their text does not name, as they have since nbformat
    4.5.
    """
    heads = []
    for index, cell in enumerate(cells):
        stretch = (
            _read_verbatim(cell, ctx, fits_start if index == 0 else None) if verbatim else None
        )
        unit = write_cell(cell, ctx)
        bare = stretch is None and index == 0 and _is_preamble(cell, ctx, fits_start)
        heads.append(Head(cell, unit, stretch, bare, unnamed=_may_omit_id(cell, unit, ids)))
    _settle_ids(heads, ids)
    _settle_labels(heads)
    return heads


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


def _read_verbatim(
    cell: dict[str, Any], ctx: Context, fits_start: FitsStart | None
) -> Stretch | None:
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
    if not is_regular(cell) or not same_head(stretch.cell, cell):
        return None
    below = cell.get("outputs") or cell.get("attachments") or cell.get("execution_count")
    if below and split_outputs(text):
        return None
    return stretch


def _is_preamble(cell: dict[str, Any], ctx: Context, fits_start: FitsStart) -> bool:
    return (
        cell.get("id") == PREAMBLE_ID
        and is_plain(cell)
        and cell["cell_type"] == "markdown"
        and saved_metadata(cell["metadata"]) == _PREAMBLE_METADATA
        and "attachments" not in cell
        and cell["source"] != ""
        and fits_start(ctx.escaper.escape(cell["source"]))
    )


def _may_omit_id(cell: dict[str, Any], unit: Unit, ids: bool) -> bool:
    cell_id = cell.get("id")
    if unit.kind != "markdown" or unit.attrs:
        return False
    return cell_id is None or (ids and isinstance(cell_id, str) and may_be_derived(cell_id))


def _settle_ids(heads: list[Head], ids: bool) -> None:
    """Let each head say what a reader needs to find the ids; usually there is nothing to do.

    A name that one head gets can take the id that another one's source gives: spelling is given
    up only when naming the others does not help.
    """
    while True:
        found = resolve([head.claim for head in heads])
        wrong = [
            head
            for head, cell_id in zip(heads, found, strict=True)
            if not _finds(head, cell_id if ids or head.claim.id is not None else None)
        ]
        nameless = [head for head in wrong if not head.verbatim and (head.bare or head.unnamed)]
        blamed = nameless or [head for head in wrong if head.verbatim]
        if not blamed:
            return
        for head in blamed:
            head.reset()


def _finds(head: Head, found: str | None) -> bool:
    if "id" not in head.cell:
        return head.claim.id is None
    return bool(found == head.cell["id"])


def _settle_labels(heads: list[Head]) -> None:
    taken = {head.verbatim.unit.label for head in heads if head.verbatim}
    new = [head for head in heads if not (head.verbatim or head.bare or head.unnamed)]
    found = labels((head.cell.get("id") for head in new), {label for label in taken if label})
    for head, label in zip(new, found, strict=True):
        cell_id = head.cell.get("id")
        head.unit.label = label or nameless_label(_source(head.cell))
        if label and label != cell_id and isinstance(cell_id, str) and is_cell_id(cell_id):
            head.unit.attrs.insert(0, ("id", cell_id))


def _source(cell: dict[str, Any]) -> str:
    source = cell.get("source")
    return source if isinstance(source, str) else ""
