"""Three-way merge of lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import NamedTuple

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
