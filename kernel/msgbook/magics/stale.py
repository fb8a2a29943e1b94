"""`%stale`: the turns above that would be asked something else today than what they answered."""

from __future__ import annotations

from collections.abc import Sequence

from msgbook.notebook.cell_names import describe_cell_with_id
from msgbook.notebook.cells import Cell
from msgbook.request.history.reader import Reader
from msgbook.request.history.stale import Stale, ViewOf, stale_turns

_SHOWN = 20
"""Turns that are listed."""


def stale(cells: Sequence[Cell], reader: Reader, view_of: ViewOf) -> str:
    """List the turns whose input has changed, and where the first change stands.

    Args:
        cells: Those above.
        reader: The one that makes the requests.
    """
    found = stale_turns(cells, reader, view_of)
    if not found:
        return "No turn above is stale: each answers what stands above it."
    lines = [f"Stale, of the turns above, since what they were asked has changed: {_count(found)}"]
    lines += [f"  {describe_cell_with_id(cells, one.cell)}" for one in found[:_SHOWN]]
    lines += ["  ..."] if len(found) > _SHOWN else []
    lines.append(f"The first change is {_first_change(found[0], cells)}.")
    return "\n".join(
        [*lines, "Run them again, from the top, to have them answer what it says now."]
    )


def _count(found: Sequence[Stale]) -> str:
    return f"{len(found)} turn" + ("s" if len(found) > 1 else "")


def _first_change(first: Stale, cells: Sequence[Cell]) -> str:
    """Where it stands, as narrowly as hashes tell."""
    places = [describe_cell_with_id(cells, first.changed[0])]
    if len(first.changed) > 1:
        places.append(describe_cell_with_id(cells, first.changed[-1]))
    where = f"in {' to '.join(places)}, or a cell that was deleted there"
    return f"in the system message (agent, skills), or {where}" if first.maybe_system else where
