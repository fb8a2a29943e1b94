"""A common ancestor that has conflicts itself.

Where two branches have merged each other, git first merges their common ancestors, and the result is
the base. A cell in conflict there is the version of one side by chance: if it counted as the base, the
other side's solution would win without a word. So it is no version of either.
"""

from __future__ import annotations

import re
from dataclasses import replace

from msgbook_format.merging.conflicts import FRONTMATTER_WORDS, OTHER_BELOW
from msgbook_format.merging.parts import CellPart, Parts

_ID = re.compile(r".*-conflict(?:-[0-9]+)?", re.DOTALL)
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
    return bool(_ID.fullmatch(cell.id) and _MARKS.search(cell.body))


def _as_no_version(cell: CellPart) -> CellPart:
    return replace(cell, head=_NO_VERSION, body=_NO_VERSION, outputs=_NO_VERSION, text=_NO_VERSION)
