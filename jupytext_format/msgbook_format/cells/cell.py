"""The cells of a text as notebook cells without their outputs, with attachments, ids and labels."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, NamedTuple

from msgbook_format import jsontext
from msgbook_format.cells.head import read_head, read_json_cell
from msgbook_format.outputs.cell_outputs import CellOutputs, read_cell_outputs
from msgbook_format.outputs.code_outputs import is_output
from msgbook_format.syntax.attributes import AttributeReader, Attributes
from msgbook_format.syntax.dialect import Dialect
from msgbook_format.syntax.lines import is_base64, unwrap, wrap
from msgbook_format.syntax.split import Segment, SplitCell, split_cells, split_output_cells
from msgbook_format.syntax.text_cell import TextCell, parse_text_cell
from msgbook_format.turn.kinds import TEXTS
from msgbook_format.turn.output_cells.blocks import cell_kind
from msgbook_format.typed import as_text, text_or_none

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
    unread: str | None = None
    """Line that may be its footnote and cannot be read as one."""

    @property
    def is_code(self) -> bool:
        """True for a `[code]` cell, below which every output cell is code output."""
        return self.head.type == "code" and self.cell["cell_type"] == "code"

    @property
    def claim(self) -> Claim:
        """Id that the head names, and the source."""
        source = self.cell.get("source")
        source = as_text(source)
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


# Orphans: output cells above which no cell can have outputs, as cells of their own.


def read_orphan(head: TextCell, dialect: Dialect) -> dict[str, Any]:
    """Return the cell of an output cell above which no cell can have outputs.

    An answer is a note of the assistant. Anything else is a raw cell, which is never sent.
    """
    is_answer = (
        head.type not in ("nb", "attachment") and not is_output(head) and cell_kind(head) is TEXTS
    )
    cell = read_head(head, dialect, "markdown" if is_answer else "raw")
    if is_answer:
        cell["metadata"].setdefault("msgbook", {}).setdefault("role", "assistant")
    return cell


# Attachments of a note or raw cell as output cells of the type `attachment`.


Attachments = dict[str, dict[str, str]]
"""File name -> MIME type -> data, as in nbformat."""


def write_attachments(attachments: Attachments, base: str) -> list[TextCell]:
    """Return an output cell for each MIME type of each attachment of the cell labelled `base`."""
    output_cells: list[TextCell] = []
    for name in sorted(attachments):
        for mime in sorted(attachments[name]):
            data = attachments[name][mime]
            attributes: Attributes = [("name", name), ("mime_type", mime)]
            body = data
            if jsontext.needs_json(data):
                attributes.append(("encoding", "json"))
                body = jsontext.dumps(data)
            elif is_base64(data):
                attributes.append(("encoding", "base64"))
                body = wrap(data)
            label = f"{base}.a{len(output_cells) + 1}"
            output_cells.append(
                TextCell(type="attachment", attributes=attributes, body=body, label=label)
            )
    return output_cells


def read_attachments(output_cells: list[TextCell]) -> Attachments | None:
    """Return the attachments in output cells; None if one of them is not an attachment."""
    attachments: Attachments = {}
    for output_cell in output_cells:
        attributes = AttributeReader(output_cell.attributes)
        name, mime = attributes.take("name"), attributes.take("mime_type")
        data = _read_data(output_cell, attributes.take("encoding"))
        if output_cell.type != "attachment" or name is None or mime is None or data is None:
            return None
        bundle = attachments.setdefault(name, {})
        if mime in bundle:
            return None
        bundle[mime] = data
    return attachments


def _read_data(output_cell: TextCell, encoding: str | None) -> str | None:
    if encoding == "base64":
        return unwrap(output_cell.body)
    if encoding != "json":
        return output_cell.body
    try:
        data: Any = jsontext.loads(output_cell.body)
    except ValueError:
        return None
    return text_or_none(data)


# Ids of cells: those that texts name, and those that follow from a source; labels for them.


PREAMBLE_ID = "preamble"
"""Id of the note before the first marker."""

_CELL_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_LABEL_LENGTH = 20
"""Characters up to which an id is a label as it is; JupyterLab's ids have 36 and are cut."""
_SHORT_LENGTH = 8
"""Characters of a label made from an id or a digest: short to read, and rarely the same twice in a file."""


class Claim(NamedTuple):
    """Id that the text of a cell names, and the source that it follows from otherwise."""

    id: str | None
    """Id that the text names; None if it names none, or one that nbformat forbids."""
    source: str
    """Source of the cell, from which its id follows if the text names none."""


def is_cell_id(text: str | None) -> bool:
    """Return whether nbformat 4.5 allows `text` as the id of a cell."""
    return text is not None and bool(_CELL_ID.fullmatch(text))


def resolve_ids(claims: Sequence[Claim]) -> list[str]:
    """Return the ids of cells: the first claim of an id wins, other ids follow from the source."""
    taken: set[str] = set()
    ids: list[str | None] = []
    for claim in claims:
        mine = claim.id if claim.id is not None and claim.id not in taken else None
        if mine is not None:
            taken.add(mine)
        ids.append(mine)
    counts: dict[str, int] = {}
    return [
        given if given is not None else _derived(claim.source, taken, counts)
        for given, claim in zip(ids, claims, strict=True)
    ]


def nameless_label(content: str) -> str:
    """Return a label, which is not an id, that follows from `content` of a cell without id."""
    return "c." + sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:_SHORT_LENGTH]


def derived_id(source: str, count: int) -> str:
    """Return the id that follows from a source; cells with one source count from 0."""
    text = f"{count}\n{source}".encode("utf-8", "surrogatepass")
    return "m" + sha256(text).hexdigest()[:10]


def may_be_derived(cell_id: str) -> bool:
    """Return whether `cell_id` has the shape of an id that follows from a source."""
    return len(cell_id) == 11 and cell_id[0] == "m"


def _derived(source: str, taken: set[str], counts: dict[str, int]) -> str:
    while True:
        count = counts.get(source, 0)
        counts[source] = count + 1
        cell_id = derived_id(source, count)
        if cell_id not in taken:
            taken.add(cell_id)
            return cell_id


def make_labels(ids: Iterable[str | None], taken: set[str]) -> list[str | None]:
    """Return a short label for each id: the id itself if it is short, else its start or a hash.

    `taken` are labels that other cells have; it is changed in place. None stays None.
    """
    ids = list(ids)
    taken.update(cell_id for cell_id in ids if cell_id is not None and _is_short(cell_id))
    return [_label(cell_id, taken) for cell_id in ids]


def _label(cell_id: str | None, taken: set[str]) -> str | None:
    if cell_id is None or _is_short(cell_id):
        return cell_id
    label = cell_id[:_SHORT_LENGTH]
    digest = sha256(cell_id.encode("utf-8", "surrogatepass")).hexdigest()
    length = _SHORT_LENGTH
    while label in taken or not is_cell_id(label):
        label = digest[:length]
        length += 1
    taken.add(label)
    return label


def _is_short(cell_id: str) -> bool:
    return len(cell_id) <= _LABEL_LENGTH and is_cell_id(cell_id)
