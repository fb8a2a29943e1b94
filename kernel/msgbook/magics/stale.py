"""`%stale`: the turns above whose requests would be different today."""

from __future__ import annotations

from collections.abc import Sequence

from msgbook.engine import Engine
from msgbook.magics.base import MagicContext
from msgbook.notebook import Cell, Transcript, describe_cell_with_id
from msgbook.request import make_turn_views
from msgbook.request.history import StaleTurn, stale_turns

_SHOWN = 20
"""Listed turns."""


async def stale(context: MagicContext, _words: Sequence[str]) -> str:
    """List the turns above whose requests would be different today."""
    transcript = await context.transcript()
    return describe_stale_turns(
        await find_stale_turns(context.engine, transcript), transcript.earlier
    )


async def find_stale_turns(engine: Engine, transcript: Transcript) -> list[StaleTurn]:
    """Return the turns above whose requests would be different today."""
    builder = engine.request_builder
    project = await builder.read_project()
    await builder.restore_texts(transcript, project)
    views = make_turn_views(builder.agent_chooser, transcript, project, engine.settings)
    return stale_turns(transcript.earlier, builder.reader, views)


def describe_stale_turns(found: Sequence[StaleTurn], cells: Sequence[Cell]) -> str:
    """List stale turns, and say where the first change is.

    Args:
        cells: The cells above.
    """
    if not found:
        return "No turn above is stale: each answers the cells that are above it now."
    lines = [_heading(len(found))]
    lines += [f"  {describe_cell_with_id(cells, turn.cell)}" for turn in found[:_SHOWN]]
    lines += ["  ..."] if len(found) > _SHOWN else []
    lines.append(f"The first change is {_first_change(found[0], cells)}.")
    return "\n".join(
        [*lines, "Run them again from the top, so that they answer the cells as they are now."]
    )


def _heading(count: int) -> str:
    if count == 1:
        return "1 turn above is stale: its request would be different today."
    return f"{count} turns above are stale: their requests would be different today."


def _first_change(first: StaleTurn, cells: Sequence[Cell]) -> str:
    """Return the place of the first change, as exactly as hashes show it."""
    places = [describe_cell_with_id(cells, first.changed[0])]
    if len(first.changed) > 1:
        places.append(describe_cell_with_id(cells, first.changed[-1]))
    where = f"in {' to '.join(places)}, or a cell that was deleted there"
    return f"in the system message (agent, skills), or {where}" if first.maybe_system else where
