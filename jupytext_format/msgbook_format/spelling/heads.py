"""Heads to be written: each cell's own text if that still holds the cell, or a new one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from msgbook_format import jsontext
from msgbook_format.cells.cell import (
    PREAMBLE,
    PREAMBLE_ID,
    Claim,
    ReadCell,
    is_cell_id,
    may_be_derived,
    nameless_label,
    read_lone_head,
    read_preamble,
)
from msgbook_format.cells.code import replace_code
from msgbook_format.cells.head import (
    has_same_head,
    is_plain,
    is_regular,
    is_same_cell,
    saved_metadata,
)
from msgbook_format.outputs.execution_times import KEY as EXECUTION
from msgbook_format.outputs.execution_times import has_own_times
from msgbook_format.syntax.attributes import format_footnote
from msgbook_format.syntax.dialect import Dialect
from msgbook_format.syntax.lines import find_markers
from msgbook_format.syntax.split import Segment, split_cells, split_output_cells
from msgbook_format.syntax.text_cell import TextCell, find_footnote, format_text_cell
from msgbook_format.typed import as_dict, as_text, msgbook_metadata, text_or_none

_PREAMBLE_METADATA = {"msgbook": {"type": PREAMBLE}}

FitsStart = Callable[[str], bool]
"""Returns whether a text without marker stays content where the first cell begins."""


@dataclass(slots=True)
class PlannedHead:
    """A cell and the head that will be written for it."""

    cell: dict[str, Any]
    canonical: TextCell
    """The head as it is written anew."""
    verbatim: ReadCell | None
    """The cell as read from its own text; None if that text does not hold this cell."""
    is_bare: bool
    """True if it is text without a marker, before the first one."""
    is_unnamed: bool
    """True if it is written without id."""
    level: int = 1
    """Number of `#` of its marker, and of those of its output cells."""

    @property
    def id(self) -> str | None:
        """Id of the cell."""
        cell_id = self.cell.get("id")
        return text_or_none(cell_id)

    @property
    def source(self) -> str:
        """Source of the cell."""
        source = self.cell.get("source")
        return as_text(source)

    @property
    def is_json(self) -> bool:
        """True if the body of the head is all of the cell, as JSON."""
        return self.verbatim.is_json if self.verbatim else self.canonical.type == "nb"

    @property
    def is_code(self) -> bool:
        """True for a `[code]` cell, below which every output cell is code output."""
        if self.verbatim:
            return self.verbatim.is_code
        return self.canonical.type == "code" and self.cell["cell_type"] == "code"

    @property
    def has_times(self) -> bool:
        """True if its text holds `metadata.execution`, which a first output may hold instead."""
        if self.verbatim:
            return EXECUTION in self.verbatim.cell["metadata"]
        own = self.is_code and has_own_times(self.cell)
        return EXECUTION in self.cell["metadata"] and not own

    @property
    def is_orphan(self) -> bool:
        """True if it is written as an output cell, because no cell above it can have outputs."""
        return self.verbatim is not None and self.verbatim.text.is_orphan

    @property
    def is_preamble(self) -> bool:
        """True if it is written without a marker."""
        if self.verbatim is None:
            return self.is_bare
        return not any(find_markers(self.verbatim.text.head.core))

    @property
    def ends_outputs(self) -> bool:
        """True if an output cell below it is an orphan."""
        return self.is_json or (
            self.cell["cell_type"] != "code" and not self.cell.get("attachments")
        )

    @property
    def base(self) -> str:
        """Start of the labels of the output cells below it."""
        label = self.verbatim.head.label if self.verbatim else self.canonical.label
        return label or self.id or self.nameless

    @property
    def nameless(self) -> str:
        """Label for a cell without id.

        It follows from the attachments, if there are any: they change less often than the source,
        and each of them has a label that begins with this one.
        """
        attachments = self.cell.get("attachments")
        return nameless_label(jsontext.dumps(attachments) if attachments else self.source)

    @property
    def claim(self) -> Claim:
        """Id that a reader will find in the head, and the source."""
        if self.verbatim:
            return self.verbatim.claim
        if self.is_bare:
            return Claim(PREAMBLE_ID, "")
        cell_id = None if self.is_unnamed else self.id
        return Claim(cell_id if is_cell_id(cell_id) else None, self.source)

    def add_id(self, dialect: Dialect) -> None:
        """Write the id into the cell's own text, if that only lacks an id; else write it anew."""
        named = None
        # Any other id is that of a copied cell, and no two cells should have one label.
        if self.verbatim and self.id is not None and _is_lost(self.id, self.verbatim):
            named = add_id(self.verbatim, self.id, dialect)
        self.verbatim, self.is_bare, self.is_unnamed = named, False, False

    def with_marker(self, dialect: Dialect) -> str:
        """Return the text of a preamble below a marker."""
        return replace(
            self,
            verbatim=None,
            is_bare=False,
            canonical=replace(self.canonical, label=PREAMBLE_ID),
        ).format(dialect)

    def format(self, dialect: Dialect) -> str:
        """Return the text of the head, without a newline at its end."""
        if self.verbatim:
            return self.verbatim.text.head.core
        if self.is_bare:
            return dialect.escaper.escape(self.canonical.body)
        return format_text_cell(self.canonical, "#" * self.level + " %%", dialect.escaper)


def verbatim_bits(cell: dict[str, Any]) -> dict[str, str]:
    """Return the texts in `metadata.msgbook.text` of a cell or notebook."""
    bits = as_dict(msgbook_metadata(cell).get("text"))
    return {key: value for key, value in bits.items() if isinstance(value, str)}


def is_trailing_blank(head: PlannedHead) -> bool:
    """Return whether this is the empty cell that a notebook editor keeps at the end."""
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
    text: str,
    cell: dict[str, Any],
    canonical: TextCell,
    dialect: Dialect,
    *,
    fits_start: FitsStart | None,
    may_be_orphan: bool,
) -> ReadCell | None:
    """Read a cell from `text`, its own one, in which later edits replace what they changed.

    Returns None if the head has to be written anew, as `canonical`.

    Args:
        fits_start: None for all cells but the first.
        may_be_orphan: Whether no cell above could have an output cell below it as its output.
    """
    read = read_lone_head(text, dialect)
    if read is None:
        if fits_start is None or split_cells(text)[1] or not fits_start(text):
            return None
        read = read_preamble(Segment.from_text(text), dialect)
    if read.text.is_orphan and not may_be_orphan:
        return None
    if read.is_json:
        return read if is_same_cell(read.cell, cell) else None
    if not is_regular(cell):
        return None
    found: ReadCell | None = read
    if not has_same_head(read.cell, cell, read.is_code):
        found = respell(read, cell, canonical, dialect) if is_plain(cell) else None
    below = cell.get("outputs") or cell.get("attachments") or cell.get("execution_count")
    if found and below and split_output_cells(found.text.head.core):
        return None
    return found


def is_preamble(cell: dict[str, Any], dialect: Dialect, fits_start: FitsStart) -> bool:
    """Return whether the first cell can be written as text before the first marker."""
    return (
        cell.get("id") == PREAMBLE_ID
        and is_plain(cell)
        and cell["cell_type"] == "markdown"
        and saved_metadata(cell["metadata"]) == _PREAMBLE_METADATA
        and "attachments" not in cell
        and cell["source"] != ""
        and fits_start(dialect.escaper.escape(cell["source"]))
    )


def _is_lost(cell_id: str, read: ReadCell) -> bool:
    return is_cell_id(cell_id) and may_be_derived(cell_id) and read.claim.id != cell_id


# The text of a head after an edit: lines that the edit left alone stay as they were.


_BLANK_LINES = re.compile(r"(?:[ \t\r]*\n)*")
_BLANKS = " \t\r"
_USUAL_GAP = "\n\n"


@dataclass(slots=True, frozen=True)
class HeadText:
    """The text of a head in parts; `join` puts them together again."""

    marker: str
    joint: str
    """Line ends and blank lines between marker and footnote."""
    footnote: str
    """Empty without one."""
    gap: str
    """Line ends and blank lines above the body."""
    body: str
    """With its escapes."""

    @classmethod
    def from_text(cls, text: str, label: str | None) -> HeadText:
        """Return the parts of a text that begins with a marker with this label."""
        end = _line_end(text, 0)
        start = _skip_blank(text, end)
        marker, joint, footnote = text[:end], "", ""
        found = None if label is None else find_footnote(text, label)
        if found is not None:
            joint, footnote, end = text[end : found[0]], text[found[0] : found[1]], found[1]
            start = _skip_blank(text, end)
        return cls(marker, joint, footnote, text[end:start], text[start:])

    def without_footnote(self) -> HeadText:
        """Return the parts without the footnote."""
        return replace(self, joint="", footnote="")

    def join(self) -> str:
        """Return the text of all parts; the usual gap comes before a part that was added."""
        head = self.marker
        if self.footnote:
            head += (self.joint or _USUAL_GAP) + self.footnote
        return head + (self.gap or _USUAL_GAP) + self.body if self.body else head


def respell(
    old: ReadCell, cell: dict[str, Any], canonical: TextCell, dialect: Dialect
) -> ReadCell | None:
    """Return a text of `cell` that keeps as many parts of `old` as it can; None without any.

    The label stays. `canonical` is the head of the cell as it would be written without its text.
    """
    parts = HeadText.from_text(old.text.head.core, old.head.label)
    is_code = canonical.type == "code" and cell["cell_type"] == "code"
    for head in _heads(parts, old.head, canonical):
        for body in dict.fromkeys(_bodies(parts, old, cell, canonical, dialect)):
            found = read_lone_head(replace(head, body=body).join(), dialect)
            if found is None or found.is_json or found.is_code != is_code:
                continue
            if has_same_head(found.cell, cell, is_code) and found.claim.id == old.claim.id:
                return found
    return None


def add_id(old: ReadCell, cell_id: str, dialect: Dialect) -> ReadCell | None:
    """Return the text of `old` with `cell_id` as its id; None where there is no place for it."""
    if old.is_json:
        return None
    label = old.head.label
    parts = HeadText.from_text(old.text.head.core, label)
    attribute = f'id="{cell_id}"'
    if label is None:
        joint = " " if old.head.title is None else ""
        new = replace(parts, marker=_append(parts.marker, f"{joint}[^{cell_id}]"))
    elif parts.footnote:
        new = replace(parts, footnote=_append(parts.footnote, f" {attribute}"))
    else:
        new = replace(parts, footnote=f"[^{label}]: [{old.head.type or 'markdown'}] {attribute}")
    found = read_lone_head(new.join(), dialect)
    if found is None or found.is_json or found.claim.id != cell_id or found.is_code != old.is_code:
        return None
    return found if has_same_head(found.cell, old.cell, found.is_code) else None


def _heads(parts: HeadText, old: TextCell, canonical: TextCell) -> Iterator[HeadText]:
    """Yield the old marker and footnote, then with one of them new, then with both."""
    level, _, rest = parts.marker.partition(" ")
    marker = f"{level} %%%" if rest.startswith("%%%") else f"{level} %%"
    if canonical.title is not None:
        marker = f"{marker} {canonical.title}"
    yield parts
    if old.label is None:
        yield replace(parts, marker=marker)
        return
    marker += f" [^{old.label}]" if canonical.title is None else f"[^{old.label}]"
    ids = [(key, value) for key, value in old.attributes if key == "id"][:1]
    attributes = format_footnote(canonical.type, ids + canonical.attributes)
    footnote = f"[^{old.label}]: {attributes}"
    yield replace(parts, footnote=footnote)
    yield replace(parts, marker=marker)
    yield replace(parts, marker=marker, footnote=footnote)


def _bodies(
    parts: HeadText, old: ReadCell, cell: dict[str, Any], canonical: TextCell, dialect: Dialect
) -> Iterator[str]:
    """Yield the old body, then the old body with other code in its fence, then a new one."""
    if cell["source"] == old.cell["source"]:
        yield parts.body
    if canonical.type == "code" and old.is_code:
        body = replace_code(parts.body, cell["source"], dialect)
        if body is not None:
            yield body
    yield dialect.escaper.escape(canonical.body)


def _append(line: str, text: str) -> str:
    """Return `line` with `text` before the blanks at its end."""
    stripped = line.rstrip(_BLANKS)
    return f"{stripped}{text}{line[len(stripped) :]}"


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end


def _skip_blank(text: str, start: int) -> int:
    match = _BLANK_LINES.match(text, start)
    return match.end() if match else start
