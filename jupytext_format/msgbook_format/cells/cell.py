"""One cell of a text, read as a notebook cell without its outputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from msgbook_format.cells.attachments import read_attachments
from msgbook_format.cells.head import read_head, read_json_cell
from msgbook_format.cells.ids import PREAMBLE_ID, Claim, is_cell_id
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


def read_cell(text: SplitCell, dialect: Dialect) -> ReadCell:
    """Read a cell. Output cells below a head that can have none are part of its content."""
    head = parse_text_cell(text.head.core, dialect.escaper)
    if text.outputs is None:
        cell = read_json_cell(head)
        if cell is not None:
            return ReadCell(text, head, cell, is_json=True)
        return ReadCell(text, head, read_head(head, dialect))
    cell = read_head(head, dialect)
    if cell["cell_type"] == "code" and (head.type != "nb" or read_json_cell(head) is None):
        return ReadCell(text, head, cell)
    attachments = read_attachments(parse_output_cells(text.outputs.core, dialect))
    if cell["cell_type"] != "code" and attachments:
        cell["attachments"] = attachments
        return ReadCell(text, head, cell)
    core = text.head.core + text.head.gap + text.outputs.core
    head = parse_text_cell(core, dialect.escaper)
    alone = SplitCell(Segment(core, text.outputs.gap), None)
    return ReadCell(alone, head, read_head(head, dialect))


def read_lone_head(text: str, dialect: Dialect) -> ReadCell | None:
    """Return the cell of a text that is one head and nothing else; None for any other text."""
    before, cells = split_cells(text)
    if before or len(cells) != 1 or Segment.from_text(text).gap:
        return None
    found = read_cell(cells[0], dialect)
    return found if found.text.outputs is None else None


def read_preamble(segment: Segment, dialect: Dialect) -> ReadCell:
    """Return the note before the first marker."""
    # Parsed behind a newline, so that an output cell without a cell above it is content.
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
