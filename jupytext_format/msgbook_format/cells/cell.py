"""One stretch of text as a cell without outputs: what reading and checking have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from msgbook_format.cells.attachments import read_attachments
from msgbook_format.cells.head import read_cell, read_whole
from msgbook_format.cells.ids import PREAMBLE_ID, Claim, is_cell_id
from msgbook_format.outputs.cell_outputs import Run, read_run
from msgbook_format.syntax.dialect import Context
from msgbook_format.syntax.text_cell import (
    Group,
    Segment,
    Unit,
    parse_unit,
    split_cells,
    split_outputs,
)

PREAMBLE = "preamble"
"""`metadata.msgbook.type` of the note that stands before the first marker."""


@dataclass(slots=True)
class Stretch:
    """A head, the cell that it holds, and the units below it."""

    head: Segment
    outputs: Segment | None
    """Not yet part of `cell`, but for attachments."""
    unit: Unit
    cell: dict[str, Any]
    whole: bool = False
    """Whether the head holds all of the cell, as JSON."""

    @property
    def code(self) -> bool:
        """Whether everything below the head is code output."""
        return self.unit.kind == "code" and self.cell["cell_type"] == "code"

    @property
    def claim(self) -> Claim:
        """What the head says about the id of the cell."""
        source = self.cell.get("source")
        source = source if isinstance(source, str) else ""
        for key, value in self.unit.attrs:
            if key == "id" and isinstance(value, str) and is_cell_id(value):
                return Claim(value, source)
        return Claim(self.unit.label if is_cell_id(self.unit.label) else None, source)


def read_group(group: Group, ctx: Context) -> Stretch:
    """The cell of a group. Units below a head that can have none are part of its content."""
    unit = parse_unit(group.head.core, ctx.escaper)
    if group.outputs is None:
        whole = read_whole(unit)
        if whole is not None:
            return Stretch(group.head, None, unit, whole, whole=True)
        return Stretch(group.head, None, unit, read_cell(unit, ctx))
    cell = read_cell(unit, ctx)
    if cell["cell_type"] == "code" and (unit.kind != "nb" or read_whole(unit) is None):
        return Stretch(group.head, group.outputs, unit, cell)
    attachments = read_attachments(parse_units(group.outputs.core, ctx))
    if cell["cell_type"] != "code" and attachments:
        cell["attachments"] = attachments
        return Stretch(group.head, group.outputs, unit, cell)
    all_of_it = group.head.core + group.head.gap + group.outputs.core
    unit = parse_unit(all_of_it, ctx.escaper)
    head = Segment(all_of_it, group.outputs.gap)
    return Stretch(head, None, unit, read_cell(unit, ctx))


def read_stretch(text: str, ctx: Context) -> Stretch | None:
    """The cell of a text that is one head and nothing else; None for any other text."""
    before, groups = split_cells(text)
    if before or len(groups) != 1 or Segment.of(text).gap:
        return None
    stretch = read_group(groups[0], ctx)
    return stretch if stretch.outputs is None else None


def read_preamble(segment: Segment, ctx: Context) -> Stretch:
    """The note that stands before the first marker."""
    # Behind a newline, so that an output without a cell above it is content, marker and all.
    unit = parse_unit(f"\n{segment.core}", ctx.escaper)
    unit.label = PREAMBLE_ID
    metadata = {"msgbook": {"type": PREAMBLE}}
    cell = {"cell_type": "markdown", "metadata": metadata, "source": unit.body}
    return Stretch(segment, None, unit, cell)


def read_run_text(text: str, base: str, code: bool, ctx: Context) -> Run:
    """The run that a text of `# %%%` units holds."""
    return read_run(parse_units(text, ctx), base, code)


def parse_units(text: str, ctx: Context) -> list[Unit]:
    """The units of a text that begins with `# %%%`."""
    return [parse_unit(part, ctx.escaper) for part in split_outputs(text)]
