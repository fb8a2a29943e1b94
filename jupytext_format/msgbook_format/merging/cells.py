"""Three-way merge of one cell."""

from __future__ import annotations

from dataclasses import dataclass

from msgbook_format.merging.conflicts import Labels, can_hold_marks, join_chunks
from msgbook_format.merging.lines import lines_of, merge_lines
from msgbook_format.merging.parts import CellPart


@dataclass(frozen=True, slots=True)
class MergedCell:
    """A cell of which one text was made."""

    text: str
    conflicts: int = 0
    """Conflicts in the body."""


def merge_cell(
    base: CellPart | None, ours: CellPart, theirs: CellPart, labels: Labels
) -> MergedCell | None:
    """Return the merge of a cell that both sides have; None if both versions have to stay.

    Outputs go with the body: an answer belongs to the prompt that it answers. Marker and
    footnote, and lines of the body, merge if no answer is concerned.
    """
    if ours.text == theirs.text or (base is not None and base.text == theirs.text):
        return MergedCell(ours.text)
    if base is not None and base.text == ours.text:
        return MergedCell(theirs.text)
    head = _choose(base.head if base else None, ours.head, theirs.head)
    if head is None:
        return None
    if ours.outputs != theirs.outputs:
        side = _answered(base, ours, theirs)
        return None if side is None else MergedCell(_replace_head(side, head))
    if ours.body == theirs.body:
        return MergedCell(_replace_head(ours, head))
    if base is not None and base.body in (ours.body, theirs.body):
        side = theirs if base.body == ours.body else ours
        return MergedCell(_replace_head(side, head))
    if ours.is_json or theirs.is_json:
        return None
    bodies = [lines_of(cell.body if cell else "") for cell in (base, ours, theirs)]
    chunks = merge_lines(*bodies)
    if not can_hold_marks(chunks):
        return None
    body = join_chunks(chunks, labels)
    side = ours if ours.body else theirs
    before, _, after = _split(side)
    conflicts = sum(chunk.theirs is not None for chunk in chunks)
    return MergedCell(f"{head}{before}{body}{after}", conflicts)


def _answered(base: CellPart | None, ours: CellPart, theirs: CellPart) -> CellPart | None:
    """Return the side that alone changed body and outputs; None if both did."""
    if base is None:
        return None
    mine, old = (ours.body, ours.outputs), (base.body, base.outputs)
    if mine == old:
        return theirs
    return ours if (theirs.body, theirs.outputs) == old else None


def _choose(base: str | None, ours: str, theirs: str) -> str | None:
    if ours == theirs or base == theirs:
        return ours
    return theirs if base == ours else None


def _replace_head(cell: CellPart, head: str) -> str:
    return head + cell.text[len(cell.head) :]


def _split(cell: CellPart) -> tuple[str, str, str]:
    """Return the blank lines above the body, the body, and all that is below it."""
    rest = cell.text[len(cell.head) :]
    start = rest.find(cell.body) if cell.body else len(rest)
    return rest[:start], cell.body, rest[start + len(cell.body) :]
