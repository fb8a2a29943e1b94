"""The order of the cells of a merge."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Sequence
from typing import TypeVar

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
