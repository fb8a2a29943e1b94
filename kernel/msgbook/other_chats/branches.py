"""Branches of a chat whose messages form a tree, as in programs that let a person edit a message. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from msgbook.other_chats.fields import BadChatError

_MOST_FACTOR, _MOST_START = 20, 10_000
"""All branches together may weigh so much: a start, and this many times what the tree weighs."""
_WEIGHT = 1000
"""Characters of a message that weigh as much as one more message."""


class Branches(NamedTuple):
    """Paths from the first message to a last one."""

    shown: list[str]
    others: list[list[str]]
    left_out: int
    """Number of branches that are too many."""


def find_branches(
    parents: Mapping[str, str | None],
    shown: str | None,
    where: str,
    content: Callable[[str], Any] = bool,
) -> Branches:
    """Return the branches of a tree, in the order of their last messages.

    Args:
        parents: The message above each message; one that is not there counts as none.
        shown: Last message of the branch that is shown; None for the one that was added last.
        where: Name of the tree, for an error.
        content: Returns what a message holds.

    Raises:
        BadChatError: The messages form a circle.
    """
    _require_tree(parents, where)
    inner = set(parents.values())
    leaves = [name for name in parents if name not in inner]
    if shown not in parents:
        shown = leaves[-1] if leaves else None
    main = _path(parents, shown)
    weights: dict[str, int] = {}
    if len(leaves) > 1:
        weights = {name: 1 + len(repr(content(name))) // _WEIGHT for name in parents}
    most = _MOST_START + _MOST_FACTOR * sum(weights.values())
    others: list[list[str]] = []
    left_out = 0
    for leaf in leaves:
        if leaf == shown:
            continue
        path = _path(parents, leaf) if most > 0 else []
        most -= sum(weights[name] for name in path)
        if path and most >= 0:
            others.append(path)
        else:
            left_out += 1
    return Branches(main, others, left_out)


def _path(parents: Mapping[str, str | None], last: str | None) -> list[str]:
    path = []
    while last is not None and last in parents:
        path.append(last)
        last = parents[last]
    return path[::-1]


def _require_tree(parents: Mapping[str, str | None], where: str) -> None:
    sound: set[str] = set()
    for name in parents:
        path: dict[str, None] = {}
        above: str | None = name
        while above is not None and above in parents and above not in sound:
            if above in path:
                raise BadChatError(
                    f"{where}[{above[:60]!r}].parent", "a message above it", "a circle"
                )
            path[above] = None
            above = parents[above]
        sound.update(path)
