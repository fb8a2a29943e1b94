"""Heads of all cells of a notebook: whether each names its id, and under which label."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any

from msgbook_format.cells.cell import (
    derived_id,
    is_cell_id,
    make_labels,
    may_be_derived,
    read_attachments,
    resolve_ids,
)
from msgbook_format.cells.head import write_head
from msgbook_format.spelling.heads import (
    FitsStart,
    HeadText,
    PlannedHead,
    is_preamble,
    read_verbatim,
    verbatim_bits,
)
from msgbook_format.syntax.dialect import Dialect
from msgbook_format.syntax.footnotes import HEADING, Definition, Footnotes, has_open_labels
from msgbook_format.syntax.lines import marker_level
from msgbook_format.syntax.text_cell import TextCell, parse_label


def plan_heads(
    cells: Sequence[dict[str, Any]],
    own: OwnTexts,
    dialect: Dialect,
    fits_start: FitsStart,
    *,
    has_ids: bool,
    level: int,
) -> list[PlannedHead]:
    """Return a head for each cell, such that a reader finds the cells with their ids.

    Args:
        has_ids: Whether every cell has an id, even if its text names none; true since nbformat
            4.5.
        level: Number of `#` of the first marker. Each new one has as many as the one before it.
    """

    def fits_first(text: str) -> bool:
        return fits_start(text) or fits_start(own.written_head(0))

    heads: list[PlannedHead] = []
    for index, cell in enumerate(cells):
        canonical = write_head(cell, dialect)
        text, read = own.head(index), None
        if text is not None:
            read = read_verbatim(
                text,
                cell,
                canonical,
                dialect,
                fits_start=fits_first if index == 0 else None,
                may_be_orphan=index == 0 or heads[-1].ends_outputs,
            )
        is_bare = read is None and index == 0 and is_preamble(cell, dialect, fits_start)
        is_unnamed = _may_omit_id(cell, canonical, has_ids)
        heads.append(PlannedHead(cell, canonical, read, is_bare, is_unnamed))
    _settle_orphans(heads)
    _settle_ids(heads, has_ids, dialect)
    _settle_labels(heads)
    for head in heads:
        if head.verbatim is not None:
            level = marker_level(head.verbatim.text.head.core) or level
        head.level = level
    return heads


def _may_omit_id(cell: dict[str, Any], canonical: TextCell, has_ids: bool) -> bool:
    cell_id = cell.get("id")
    if canonical.type != "markdown" or canonical.attributes:
        return False
    return cell_id is None or (has_ids and isinstance(cell_id, str) and may_be_derived(cell_id))


def _settle_orphans(heads: list[PlannedHead]) -> None:
    """Write orphans anew, in place, that a reader would take for attachments of the cell above."""
    above: PlannedHead | None = None
    for is_orphan, group in groupby(heads, key=attrgetter("is_orphan")):
        run = list(group)
        if not is_orphan:
            above = run[-1]
        elif (
            above is not None
            and not (above.is_json or above.is_preamble)
            and read_attachments([head.verbatim.head for head in run if head.verbatim])
        ):
            for head in run:
                head.verbatim = None


def _settle_ids(heads: list[PlannedHead], has_ids: bool, dialect: Dialect) -> None:
    """Change heads, in place, until a reader finds all ids; usually nothing has to change.

    A name that is added to one head can take the id that follows from the source of another cell,
    and the copy of a cell still names the id of the first. So only heads that have to change do.
    """
    while True:
        found = resolve_ids([head.claim for head in heads])
        wrong = [
            head
            for head, cell_id in zip(heads, found, strict=True)
            if not _has_id(head, cell_id if has_ids or head.claim.id is not None else None)
        ]
        changing = _heads_to_change(heads, wrong)
        if not changing:
            return
        for head in changing:
            head.add_id(dialect)


def _heads_to_change(heads: list[PlannedHead], wrong: list[PlannedHead]) -> list[PlannedHead]:
    """Return the heads to change; that may also give the other wrong ones their ids."""
    nameless = [head for head in wrong if not head.verbatim and (head.is_bare or head.is_unnamed)]
    if nameless:
        return _edited(nameless) or nameless
    verbatim = [head for head in wrong if head.verbatim]
    foreign = {head.claim.id for head in verbatim if _names_other_id(head)} - {None}
    if not foreign:
        return verbatim
    owned = foreign & {head.id for head in heads}
    copies = [head for head in verbatim if _names_other_id(head) and head.claim.id in owned]
    # Each of the heads that name an id would get it in turn, if no cell has that id.
    return copies + [head for head in heads if head.verbatim and head.claim.id in foreign - owned]


def _names_other_id(head: PlannedHead) -> bool:
    return head.claim.id != head.id


def _edited(heads: list[PlannedHead]) -> list[PlannedHead]:
    """Return the heads whose ids do not follow from their sources, at any count of these."""
    counts = Counter(head.claim.source for head in heads)
    derived = {
        source: {derived_id(source, number) for number in range(2 * count + 1)}
        for source, count in counts.items()
    }
    return [head for head in heads if head.id not in derived[head.claim.source]]


def _has_id(head: PlannedHead, found: str | None) -> bool:
    if "id" not in head.cell:
        return head.claim.id is None
    return bool(found == head.cell["id"])


def _settle_labels(heads: list[PlannedHead]) -> None:
    taken = {head.verbatim.head.label for head in heads if head.verbatim}
    new = [head for head in heads if not (head.verbatim or head.is_bare or head.is_unnamed)]
    labels = make_labels((head.id for head in new), {label for label in taken if label})
    for head, label in zip(new, labels, strict=True):
        head.canonical.label = label or head.nameless
        if label and label != head.id and head.id is not None and is_cell_id(head.id):
            head.canonical.attributes.insert(0, ("id", head.id))


# The verbatim texts of a notebook's cells, read with each footnote below its marker.


_BLANK_LINES = re.compile(r"\n(?:[ \t\r]*+\n)*+(#{1,5} %%)?")

WrittenCell = tuple[str | None, str | None]
"""Head and output cells of a cell; None for what is not written."""


class OwnTexts:
    """The verbatim texts of all cells, in which footnotes may be anywhere."""

    def __init__(self, cells: list[dict[str, Any]], document: str, *, verbatim: bool) -> None:
        """Find the footnotes that are not below their markers.

        Args:
            document: Text above the messages.
            verbatim: Whether the texts are used at all.
        """
        self._cells = cells
        self._document = document
        self._bits = [verbatim_bits(cell) if verbatim else {} for cell in cells]
        self._found: Footnotes | None = None
        self._placed: list[str] = []
        if not any(self._bits):
            return
        units = [bits.get(key, "") for bits in self._bits for key in ("cell", "outputs")]
        if any(map(has_open_labels, units)):
            found = Footnotes(units, document)
            if any(opening.footnote for here in found.openings for opening in here):
                self._found = found
                self._placed = [found.place(index) for index in range(len(units))]

    def written_head(self, index: int) -> str:
        """Return the text of a head as it was read; empty without one."""
        return self._bits[index].get("cell", "")

    def head(self, index: int) -> str | None:
        """Return the text of a head, with its footnote below the marker; None without one."""
        return self._text(index, "cell", 0)

    def outputs(self, index: int) -> str | None:
        """Return the text of output cells, with their footnotes below them; None without one."""
        return self._text(index, "outputs", 1)

    def _text(self, index: int, key: str, offset: int) -> str | None:
        text = self._bits[index].get(key)
        return text if text is None or not self._placed else self._placed[2 * index + offset]

    def restore(self, written: list[WrittenCell]) -> list[WrittenCell]:
        """Return cells to be written with their footnotes where they were.

        A footnote stays there if its cell still has it and its place is still written. Otherwise it
        is below its marker.
        """
        if self._found is None:
            return written
        texts = [text for cell in written for text in cell]
        keep = self._kept(self._found, texts)
        restored = [
            self._restored(self._found, index, text, keep) for index, text in enumerate(texts)
        ]
        again = Footnotes([text or "" for text in restored], self._document)
        for index, text in enumerate(texts):
            # Blank lines above a footnote that is cut are now above the next marker.
            if _even(again.place(index)) != _even(text or ""):
                return written
        return list(zip(restored[::2], restored[1::2], strict=True))

    def _kept(self, found: Footnotes, texts: list[str | None]) -> set[Definition]:
        """Return the definitions that stay: some cell still has them, and their place is written."""
        return {
            opening.footnote
            for index, here in enumerate(found.openings)
            for opening in here
            if opening.footnote is not None
            and (opening.footnote.unit < 0 or texts[opening.footnote.unit] is not None)
            and self._has(index, texts[index], opening.line)
        }

    def _has(self, index: int, text: str | None, footnote: str) -> bool:
        """Return whether a text that will be written still has a footnote of the one before."""
        if text is None:
            return False
        if index % 2:
            return self._continues(index, text)
        return HeadText.from_text(text, parse_label(text)).footnote == footnote

    def _continues(self, index: int, text: str) -> bool:
        placed = self._placed[index]
        return placed != "" and (text == placed or text.startswith(f"{placed}\n\n"))

    def _restored(
        self, found: Footnotes, index: int, text: str | None, keep: Collection[Definition]
    ) -> str | None:
        if text is None:
            return None
        placed = self._placed[index]
        if text == placed or (index % 2 and self._continues(index, text)):
            return found.place(index, keep=keep) + text[len(placed) :]
        if any(
            opening.footnote in keep and self._has(index, text, opening.line)
            for opening in found.openings[index]
        ):
            text = HeadText.from_text(text, parse_label(text)).without_footnote().join()
        kept = [definition for definition in found.held[index] if definition in keep]
        headings = [None, *(definition.heading for definition in kept)]
        lines = []
        for definition, heading in zip(kept, headings, strict=False):
            is_first = definition.heading not in (None, heading)
            lines += [HEADING, definition.line] if is_first else [definition.line]
        return "\n\n".join([text, "\n".join(lines)]) if lines else text


def _even(text: str) -> str:
    return _BLANK_LINES.sub(lambda match: f"\n\n{match[1]}" if match[1] else match[0], text)
