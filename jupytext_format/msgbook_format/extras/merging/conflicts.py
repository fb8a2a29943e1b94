"""The text of a conflict.

Lines of one body that both sides changed stand between git's marks, in that body. Marks among
output cells or in a footnote would make other cells of them. So any other conflict is a raw cell
with the marks, which is never sent, between the two versions of a cell.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from msgbook_format.extras.merging.parts import CellPart, Chunk, Parts
from msgbook_format.syntax.attributes import parse_footnote
from msgbook_format.syntax.lines import Escaper, marker_level
from msgbook_format.syntax.split import Segment

FRONTMATTER_WORDS = "Of the frontmatter, the first version is in force."
OTHER_BELOW = "The cell below is the other one."
_LONGEST = 40
"""Characters of an id that stay in the id of its conflict."""
_UNSAFE = re.compile(r"\s*(?:```|~~~|%|!)")
"""A line that decides what the lines below it are, or what the cell is."""
_TYPE = re.compile(r"[ \t]*(?:\[[^\[\]=\n]*\])?(?=\s|\Z)")
_ID = re.compile(r'[ \t]+id=(?:"(?:[^"\\]|\\.)*"|\S+)')


@dataclass(frozen=True, slots=True)
class Labels:
    """Names of the two sides in conflict marks, and the length of the marks."""

    ours: str = "ours"
    theirs: str = "theirs"
    size: int = 7
    """Length of a conflict mark; git asks for longer ones where marks are in one another."""

    def around(self, ours: Sequence[str], theirs: Sequence[str]) -> list[str]:
        """Return lines of both sides between conflict marks."""
        return [
            f"{'<' * self.size} {self.ours}",
            *ours,
            "=" * self.size,
            *theirs,
            f"{'>' * self.size} {self.theirs}",
        ]


class Names:
    """New ids for the cells that a conflict adds."""

    def __init__(self, taken: set[str]) -> None:
        """`taken` are the ids of all cells."""
        self._taken = taken

    def new(self, cell_id: str, suffix: str) -> str:
        """Return an id that no cell has, made of another one."""
        name = f"{cell_id[:_LONGEST]}-{suffix}"
        count = 1
        while name in self._taken:
            count += 1
            name = f"{cell_id[:_LONGEST]}-{suffix}-{count}"
        self._taken.add(name)
        return name


def join_chunks(chunks: Sequence[Chunk], labels: Labels) -> str:
    """Return merged lines as a text, with conflicts between marks."""
    lines: list[str] = []
    for chunk in chunks:
        lines += chunk.ours if chunk.theirs is None else labels.around(chunk.ours, chunk.theirs)
    return "\n".join(lines)


def can_hold_marks(chunks: Sequence[Chunk]) -> bool:
    """Return whether marks around the conflicts change the meaning of no other line."""
    return not any(
        _UNSAFE.match(line)
        for chunk in chunks
        if chunk.theirs is not None
        for line in (*chunk.ours, *chunk.theirs)
    )


def conflict_cell(marker: str, cell_id: str, lines: Sequence[str], escaper: Escaper) -> str:
    """Return a raw cell with the marks of a conflict; `marker` begins a cell on the same level."""
    level = marker_level(marker) or 1
    body = escaper.escape(Segment.from_text("\n".join(lines)).core)
    return f"{'#' * level} %% [^{cell_id}]\n\n[^{cell_id}]: [raw]\n\n{body}"


def rename(head: str, new: str) -> str:
    """Return marker and footnote of a cell with another id. Its label stays: outputs are named after it."""
    line, newline, rest = head.partition("\n")
    found = re.search(r"\[\^([^\s\[\]^]+)\][ \t\r]*$", line)
    if found is None:
        return head
    start = rest.find(f"[^{found[1]}]:")
    if not newline or start < 0:
        return f'{line}\n\n[^{found[1]}]: id="{new}"'
    start += len(found[1]) + 4
    attributes = _without_id(rest[start:])
    end = _TYPE.match(attributes)
    at = end.end() if end else 0
    named = f'{attributes[:at]} id="{new}"{attributes[at:]}'.rstrip(" \t")
    return f"{line}\n{rest[:start]}{named}"


def _without_id(attributes: str) -> str:
    """Return type and attributes of a footnote without the id; text in quotes stays."""
    wanted = parse_footnote(attributes)
    for match in _ID.finditer(attributes):
        left = attributes[: match.start()] + attributes[match.end() :]
        found = parse_footnote(left)
        if wanted and found and len(found[1]) == len(wanted[1]) - 1 and "id" not in dict(found[1]):
            return left
    return attributes


# A common ancestor that has conflicts itself.
#
# Where two branches have merged each other, git first merges their common ancestors, and the result is
# the base. A cell in conflict there is the version of one side by chance: if it counted as the base, the
# other side's solution would win without a word. So it is not a version of either.


_CONFLICT_ID = re.compile(r".*-conflict(?:-[0-9]+)?", re.DOTALL)
_MARKS = re.compile(r"^<{7,} .*^={7,}$.*^>{7,} ", re.MULTILINE | re.DOTALL)
_NO_VERSION = "\0"
"""A text that no cell has."""


def without_solved_conflicts(base: Parts, ours: Parts, theirs: Parts) -> Parts:
    """Return the base with no version of what was in conflict there and is not on either side."""
    left = {cell.id for side in (ours, theirs) for cell in side.cells if _is_conflict(cell)}
    cells = list(base.cells)
    split = base.split
    for index, cell in enumerate(base.cells):
        if not _is_conflict(cell) or cell.id in left:
            continue
        if FRONTMATTER_WORDS in cell.body:
            split = replace(split, frontmatter=None)
            continue
        others = (index - 1, index + 1) if OTHER_BELOW in cell.body else (index - 1,)
        for other in others:
            if 0 <= other < len(cells):
                cells[other] = _as_no_version(cells[other])
    return replace(base, split=split, cells=cells)


def _is_conflict(cell: CellPart) -> bool:
    return bool(_CONFLICT_ID.fullmatch(cell.id) and _MARKS.search(cell.body))


def _as_no_version(cell: CellPart) -> CellPart:
    return replace(cell, head=_NO_VERSION, body=_NO_VERSION, outputs=_NO_VERSION, text=_NO_VERSION)
