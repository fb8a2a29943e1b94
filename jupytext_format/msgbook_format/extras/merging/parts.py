"""A message file as the parts that are merged: which are the same, in which order, line by line."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import NamedTuple, TypeVar

from msgbook_format.cells.cell import ReadCell, read_cells, resolve_ids
from msgbook_format.document.reader import reads_metadata
from msgbook_format.syntax.dialect import Dialect
from msgbook_format.syntax.footnotes import place_footnotes
from msgbook_format.syntax.frontmatter import parse_frontmatter, section_name
from msgbook_format.syntax.split import Segment, SplitCell, SplitText, join_segments, split_text
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


# The cells of two texts that are the same.


_ALIKE = 0.5
"""Share of words that two versions of one cell have in common."""
_COMPARED = 300
"""Words of a cell that are compared."""
_NEAREST = 20
"""Cells of the base that a cell is compared with."""


def match_cells(base: Sequence[CellPart], side: Sequence[CellPart]) -> dict[int, int]:
    """Return the index in `base` of each cell of `side` that is there already.

    Cells are the same if they have the same id. An id that the text does not name changes with
    the source. So cells without such a name are also the same if they stand between the same
    cells and are alike.
    """
    by_id = {cell.id: index for index, cell in enumerate(base)}
    found = {index: by_id[cell.id] for index, cell in enumerate(side) if cell.id in by_id}
    lost = _runs(base, {old: old for old in found.values()})
    for anchor, new in _runs(side, found).items():
        old = lost.get(anchor, [])
        for index in new:
            alike = next((at for at in old[:_NEAREST] if _are_alike(base[at], side[index])), None)
            if alike is not None:
                found[index] = alike
                # The order of the cells stays the same.
                old = [at for at in old if at > alike]
    return found


def _runs(cells: Sequence[CellPart], found: dict[int, int]) -> dict[int, list[int]]:
    """Return the nameless cells that were not found, by the cell of the base above them."""
    runs: dict[int, list[int]] = {}
    anchor = -1
    for index, cell in enumerate(cells):
        if index in found:
            anchor = found[index]
        elif not cell.is_named:
            runs.setdefault(anchor, []).append(index)
    return runs


def _are_alike(one: CellPart, other: CellPart) -> bool:
    if one.outputs is not None and one.outputs == other.outputs:
        return True
    old, new = one.body.split()[:_COMPARED], other.body.split()[:_COMPARED]
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    return matcher.real_quick_ratio() >= _ALIKE and matcher.ratio() >= _ALIKE


# The order of the cells of a merge.


_Key = TypeVar("_Key", bound=object)


def merge_order(
    base: Sequence[_Key], ours: Sequence[_Key], theirs: Sequence[_Key], kept: Collection[_Key]
) -> list[_Key]:
    """Return the keys of `kept` in the order of a merge.

    A cell that one side added or moved stands below the cell that is above it on that side. If
    both moved one, it stands where it does in `ours`. If both added cells in one place, those of
    `ours` come first.
    """
    old = set(base)
    moved = _moved(base, ours)
    moved_there = _moved(base, theirs) - moved
    chain = [key for key in base if key in kept and key not in moved and key not in moved_there]
    below: dict[_Key | None, _Key | None] = {}
    above: _Key | None = None
    for key in chain:
        below[above] = key
        above = key
    below[above] = None
    placed = set(chain)
    added: set[_Key] = set()
    for side, mine in ((ours, moved), (theirs, moved_there)):
        place: _Key | None = None
        fresh: set[_Key] = set()
        for key in side:
            if key not in kept:
                continue
            if key not in placed and (key in mine or key not in old):
                following = below[place]
                while following is not None and following in added:
                    place, following = following, below[following]
                below[place], below[key] = key, following
                placed.add(key)
                fresh.add(key)
            if key in placed:
                place = key
        added |= fresh
    order: list[_Key] = []
    following = below[None]
    while following is not None:
        order.append(following)
        following = below[following]
    return order


def _moved(base: Sequence[_Key], side: Sequence[_Key]) -> set[_Key]:
    """Return the keys that have to move so that the others stand as in the base."""
    index = {key: at for at, key in enumerate(base)}
    common = [key for key in side if key in index]
    # The longest run of keys in the order of the base, by patience sorting.
    tops: list[int] = []
    top_keys: list[_Key] = []
    previous: dict[_Key, _Key | None] = {}
    for key in common:
        at = bisect_left(tops, index[key])
        previous[key] = top_keys[at - 1] if at else None
        tops[at : at + 1] = [index[key]]
        top_keys[at : at + 1] = [key]
    kept: set[_Key] = set()
    key_above = top_keys[-1] if top_keys else None
    while key_above is not None:
        kept.add(key_above)
        key_above = previous[key_above]
    return set(common) - kept


# Three-way merge of lines.


_MAX_PAIRS = 200_000
"""Pairs of equal lines up to which two texts are compared; of more, all is taken as changed."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Lines of a merge: `ours` alone, or, in a conflict, those of both sides."""

    ours: list[str]
    theirs: list[str] | None = None
    """None if there is no conflict."""


class _Edit(NamedTuple):
    start: int
    end: int
    """Lines of the base that were replaced."""
    growth: int
    """How many lines there are more than in the base."""


def lines_of(text: str) -> list[str]:
    """Return the lines of a text that does not end with a newline; an empty text has none."""
    return text.split("\n") if text else []


def merge_lines(base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> list[Chunk]:
    """Return the lines of a merge. Changes of both sides that overlap or touch are conflicts."""
    sides = (_edits(base, ours), _edits(base, theirs))
    ends, shifts = [0, 0], [0, 0]
    chunks: list[Chunk] = []
    done = 0
    while ends[0] < len(sides[0]) or ends[1] < len(sides[1]):
        starts, before = list(ends), list(shifts)
        first = min(
            edits[at].start for edits, at in zip(sides, ends, strict=True) if at < len(edits)
        )
        low = high = first
        grew = True
        while grew:
            grew = False
            for side, edits in enumerate(sides):
                while ends[side] < len(edits) and edits[ends[side]].start <= high:
                    edit = edits[ends[side]]
                    high = max(high, edit.end)
                    shifts[side] += edit.growth
                    ends[side] += 1
                    grew = True
        _add(chunks, Chunk(list(base[done:low])))
        found = [
            list(text[low + before[side] : high + shifts[side]])
            for side, text in enumerate((ours, theirs))
        ]
        changed = [ends[side] > starts[side] for side in (0, 1)]
        if all(changed):
            _add_both(chunks, *found)
        else:
            _add(chunks, Chunk(found[changed.index(True)]))
        done = high
    _add(chunks, Chunk(list(base[done:])))
    return chunks


def _add_both(chunks: list[Chunk], ours: list[str], theirs: list[str]) -> None:
    """Add what both sides made of some lines; only the part that differs is a conflict."""
    start = 0
    while start < min(len(ours), len(theirs)) and ours[start] == theirs[start]:
        start += 1
    end = 0
    while end < min(len(ours), len(theirs)) - start and ours[-1 - end] == theirs[-1 - end]:
        end += 1
    _add(chunks, Chunk(ours[:start]))
    _add(chunks, Chunk(ours[start : len(ours) - end], theirs[start : len(theirs) - end]))
    _add(chunks, Chunk(ours[len(ours) - end :]))


def _add(chunks: list[Chunk], chunk: Chunk) -> None:
    if chunk.ours or chunk.theirs:
        chunks.append(chunk)


def _edits(base: Sequence[str], side: Sequence[str]) -> list[_Edit]:
    start = 0
    while start < min(len(base), len(side)) and base[start] == side[start]:
        start += 1
    end = 0
    while end < min(len(base), len(side)) - start and base[-1 - end] == side[-1 - end]:
        end += 1
    old, new = base[start : len(base) - end], side[start : len(side) - end]
    if not old and not new:
        return []
    counts = Counter(new)
    if sum(counts[line] for line in old) > _MAX_PAIRS:
        return [_Edit(start, start + len(old), len(new) - len(old))]
    return [
        _Edit(start + i1, start + i2, (j2 - j1) - (i2 - i1))
        for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        if tag != "equal"
    ]
