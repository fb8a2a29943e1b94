"""One cell of a text, read as a notebook cell without its outputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from msgbook_format.cells.attachments import read_attachments
from msgbook_format.cells.head import read_head, read_json_cell
from msgbook_format.cells.ids import PREAMBLE_ID, Claim, is_cell_id
from msgbook_format.cells.orphans import read_orphan
from msgbook_format.outputs.cell_outputs import CellOutputs, read_cell_outputs
from msgbook_format.syntax.dialect import Dialect
from msgbook_format.syntax.segments import Segment
from msgbook_format.syntax.split import SplitCell, split_cells, split_output_cells
from msgbook_format.syntax.text_cell import TextCell, parse_text_cell

PREAMBLE = "preamble"
"""`metadata.msgbook.type` of the note before the first marker."""


@dataclass(slots=True)
class ReadCell:
    """A cell of a text: as text, with its head parsed, and as a notebook cell."""

    text: SplitCell
    """Its output cells are not yet part of `cell`, unless they are attachments."""
    head: TextCell
    cell: dict[str, Any]
    is_json: bool = False
    """True if the body of the head is all of the cell, as JSON."""

    @property
    def is_code(self) -> bool:
        """True for a `[code]` cell, below which every output cell is code output."""
        return self.head.type == "code" and self.cell["cell_type"] == "code"

    @property
    def claim(self) -> Claim:
        """Id that the head names, and the source."""
        source = self.cell.get("source")
        source = source if isinstance(source, str) else ""
        for key, value in self.head.attributes:
            if key == "id" and isinstance(value, str) and is_cell_id(value):
                return Claim(value, source)
        return Claim(self.head.label if is_cell_id(self.head.label) else None, source)


def read_cells(text: SplitCell, dialect: Dialect) -> list[ReadCell]:
    """Read a cell of a text, and the orphans below it if it is one that can have no outputs."""
    head = parse_text_cell(text.head.core, dialect.escaper)
    if text.is_orphan:
        return [ReadCell(text, head, read_orphan(head, dialect))]
    cell = read_json_cell(head)
    is_json = cell is not None
    if cell is None:
        cell = read_head(head, dialect)
    if text.outputs is None:
        return [ReadCell(text, head, cell, is_json)]
    if not is_json:
        if cell["cell_type"] == "code":
            return [ReadCell(text, head, cell)]
        attachments = read_attachments(parse_output_cells(text.outputs.core, dialect))
        if attachments:
            cell["attachments"] = attachments
            return [ReadCell(text, head, cell)]
    alone, *orphans = separate_orphans(text)
    cells = [ReadCell(alone, head, cell, is_json)]
    return cells + [read for orphan in orphans for read in read_cells(orphan, dialect)]


def separate_orphans(text: SplitCell) -> list[SplitCell]:
    """Return the head of a cell that can have no outputs, and each output cell below it, as cells."""
    outputs = text.outputs.core + text.outputs.gap if text.outputs else ""
    return [SplitCell(text.head, None)] + [
        SplitCell(Segment.from_text(part), None, is_orphan=True)
        for part in split_output_cells(outputs)
    ]


def read_lone_head(text: str, dialect: Dialect) -> ReadCell | None:
    """Return the cell of a text that is one head and nothing else; None for any other text."""
    before, cells = split_cells(text)
    if before or len(cells) != 1 or cells[0].outputs or Segment.from_text(text).gap:
        return None
    return read_cells(cells[0], dialect)[0]


def read_preamble(segment: Segment, dialect: Dialect) -> ReadCell:
    """Return the note before the first marker."""
    # Parsed after a newline, so that an output cell without a cell above it is content.
    head = parse_text_cell(f"\n{segment.core}", dialect.escaper)
    head.label = PREAMBLE_ID
    metadata = {"msgbook": {"type": PREAMBLE}}
    cell = {"cell_type": "markdown", "metadata": metadata, "source": head.body}
    return ReadCell(SplitCell(segment, None), head, cell)


def read_outputs(text: str, base: str, is_code: bool, dialect: Dialect) -> CellOutputs:
    """Return the outputs that a text of output cells holds; see `read_cell_outputs`."""
    return read_cell_outputs(parse_output_cells(text, dialect), base, is_code)


def parse_output_cells(text: str, dialect: Dialect) -> list[TextCell]:
    """Return the output cells of a text that begins with `# %%%`."""
    return [parse_text_cell(part, dialect.escaper) for part in split_output_cells(text)]
