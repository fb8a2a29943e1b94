"""A message file as the parts that are merged."""

from __future__ import annotations

from dataclasses import dataclass, replace

from msgbook_format.cells.cell import ReadCell, read_cells
from msgbook_format.cells.ids import resolve_ids
from msgbook_format.document.reader import reads_metadata
from msgbook_format.syntax.dialect import Dialect
from msgbook_format.syntax.footnotes import place_footnotes
from msgbook_format.syntax.frontmatter import parse_frontmatter, section_name
from msgbook_format.syntax.segments import Segment, join_segments
from msgbook_format.syntax.split import SplitCell, SplitText, split_text
from msgbook_format.syntax.text_cell import find_footnote, parse_label


@dataclass(frozen=True, slots=True)
class CellPart:
    """A cell with its outputs, as text."""

    id: str
    """Id as a reader of the file finds it."""
    is_named: bool
    """True if the text names the id; else it follows from the source."""
    head: str
    """Marker and footnote."""
    body: str
    outputs: str | None
    text: str
    """All of the cell, without the blank lines after it."""
    gap: str
    """Blank lines after it."""
    is_last: bool
    """True if it is the last cell of its text."""
    is_json: bool
    """True if the body is JSON, of which lines mean nothing."""


@dataclass(frozen=True, slots=True)
class Parts:
    """A message file."""

    split: SplitText
    """The text without its cells."""
    dialect: Dialect
    top: str
    """Text before the first cell: the preamble, and output cells that belong to no cell."""
    top_gap: str
    cells: list[CellPart]


def read_parts(text: str) -> Parts:
    """Return the parts of any text."""
    whole = split_text(text)
    split, _ = place_footnotes(text, whole)
    dialect = _dialect(split)
    above = [cell for cell in split.cells if cell.is_orphan]
    below = [cell for cell in split.cells if not cell.is_orphan]
    top = [split.preamble] if split.preamble is not None else []
    top += [cell.head for cell in above]
    heads = [read_cells(SplitCell(cell.head, None), dialect)[0] for cell in below]
    claims = [head.claim for head in heads]
    ids = resolve_ids(claims)
    last = len(below) - 1
    cells = [
        _as_part(cell, read, cell_id, is_last=index == last)
        for index, (cell, read, cell_id) in enumerate(zip(below, heads, ids, strict=True))
    ]
    joined = (
        Segment.from_text(join_segments([(part.core, part.gap) for part in top])) if top else None
    )
    return Parts(
        split=replace(split, preamble=None, cells=[]),
        dialect=dialect,
        top=joined.core if joined else "",
        top_gap=joined.gap if joined else "",
        cells=cells,
    )


def _dialect(split: SplitText) -> Dialect:
    block = split.frontmatter.core if split.frontmatter else ""
    heading = section_name(parse_frontmatter(block)[0]) if block else None
    return Dialect.from_metadata(reads_metadata(block), heading)


def _as_part(cell: SplitCell, read: ReadCell, cell_id: str, *, is_last: bool) -> CellPart:
    head, body = split_head(cell.head.core)
    outputs, text, gap = None, cell.head.core, cell.head.gap
    if cell.outputs is not None:
        outputs = cell.outputs.core
        text = f"{cell.head.core}{cell.head.gap}{outputs}"
        gap = cell.outputs.gap
    is_json = read.is_json or read.head.type == "nb"
    named = read.claim.id == cell_id
    return CellPart(cell_id, named, head, body, outputs, text, gap, is_last, is_json)


def split_head(text: str) -> tuple[str, str]:
    """Return marker and footnote of a cell, and its body, each without blank lines around it."""
    end = len(text.partition("\n")[0])
    label = parse_label(text)
    footnote = None if label is None else find_footnote(text, label)
    if footnote is not None:
        end = footnote[1]
    body = text[end:]
    start = len(body) - len(body.lstrip(" \t\r\n"))
    # The indentation of the first line of a body belongs to it.
    start = body.rfind("\n", 0, start) + 1
    return text[:end], Segment.from_text(body[start:]).core
