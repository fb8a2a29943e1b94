"""The interface through which a running turn is shown, the choice of its form, and what has changed in it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol, cast

from msgbook_format.turn import Block, Turn


class TurnView(Protocol):
    """Shows the record of a turn while it runs. Belongs to the event loop's thread."""

    def changed(self) -> None:
        """Show the record soon."""

    def show(self) -> None:
        """Show the record now."""

    def finish(self) -> None:
        """Show the record now; it no longer changes."""


@dataclass
class DisplayMode:
    """The way turns are shown to clients that name no cells; `%display` changes it."""

    as_text: bool = False


class HiddenTurn:
    """A `TurnView` that shows nothing."""

    def changed(self) -> None:
        pass

    def show(self) -> None:
        pass

    def finish(self) -> None:
        pass


# Deltas: the changes of a turn since a page last got it (docs/protocol.md, `turn.delta`). Pure.


Op = list[Any]
"""One change: `["append", i, key, text]`, `["block", i, block]` or `["head", keys]`; JSON."""


def copy_turn(turn: Turn) -> Turn:
    """Return a copy that does not change with the record, to compare with a later state.

    A record replaces the values in its blocks and changes none in place: the values are not copied.
    """
    blocks = [cast("Block", dict(block)) for block in turn["blocks"]]
    return cast("Turn", {**turn, "blocks": blocks})


def delta(before: Turn, after: Turn) -> list[Op]:
    """Return the changes from `before` to `after`; empty if they are equal.

    Args:
        after: A later state of the same turn. Its blocks may have changed and more blocks may have
            been added, but none is missing.
    """
    ops: list[Op] = []
    if _head(before) != _head(after):
        ops.append(["head", _head(after)])
    known = len(before["blocks"])
    for i, block in enumerate(after["blocks"]):
        ops += _block_ops(i, before["blocks"][i], block) if i < known else [["block", i, block]]
    return ops


def apply(turn: Turn, ops: Iterable[Op]) -> Turn:
    """Return the turn after the changes; `turn` itself stays unchanged."""
    result: dict[str, Any] = dict(copy_turn(turn))
    for op in ops:
        blocks = result["blocks"]
        match op:
            case ["append", i, key, text]:
                blocks[i][key] += text
            case ["block", i, block]:
                blocks[i : i + 1] = [dict(block)]
            case ["head", head]:
                result = {**head, "blocks": blocks}
    return cast("Turn", result)


def _block_ops(i: int, before: Block, after: Block) -> list[Op]:
    if before == after:
        return []
    old, new = cast("dict[str, Any]", before), cast("dict[str, Any]", after)
    if old.keys() != new.keys():
        return [["block", i, new]]
    ops = []
    for key in [key for key in new if old[key] != new[key]]:
        texts = isinstance(old[key], str) and isinstance(new[key], str)
        if not texts or not new[key].startswith(old[key]):
            return [["block", i, new]]
        ops.append(["append", i, key, new[key][len(old[key]) :]])
    return ops


def _head(turn: Turn) -> dict[str, Any]:
    return {key: value for key, value in turn.items() if key != "blocks"}
