"""The cells of two texts that are the same."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from msgbook_format.merging.parts import CellPart

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
