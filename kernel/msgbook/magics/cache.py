"""`%cache`: how much of the last request a server's prefix cache could use, and what broke it."""

from __future__ import annotations

from collections.abc import Sequence

from msgbook.notebook.cell_names import describe_cell
from msgbook.notebook.cells import Cell
from msgbook.request.history.prefix import Sent, SharedPrefix, shared_prefix
from msgbook.request.history.prune import prunes
from msgbook.text import visible


def cache(sent: Sequence[Sent]) -> str:
    """Compare the first requests of the last two turns of this session.

    Args:
        sent: Requests in the order in which they were sent.
    """
    if len(sent) < 2:
        return "There is nothing to compare yet: two turns of this session are needed."
    earlier, later = sent[-2:]
    shared = shared_prefix(earlier.request, later.request)
    size = f"The last request had {shared.total:,} bytes of messages"
    lines = [f"{size}; {shared.bytes:,} of them ({shared.share:.1%}) begin the one before, too."]
    if earlier.model != later.model:
        models = f"{visible(earlier.model)}, then {visible(later.model)}"
        lines.append(f"The model changed ({models}): no cache is shared.")
    if earlier.tools != later.tools:
        lines.append("The tools changed. Servers put them first: nothing behind them is cached.")
    if shared.is_broken and earlier.agent != later.agent:
        agents = f"{visible(earlier.agent)}, then {visible(later.agent)}"
        lines.append(f"The agent changed ({agents}): each reads the other's turns as messages.")
    elif shared.is_broken:
        lines.append(f"It was broken by {_culprit(shared, earlier.cells, later.cells)}")
    elif len(lines) == 1:
        lines.append("Nothing was broken: all that both have is the same.")
    return "\n".join(lines)


def _culprit(shared: SharedPrefix, before: Sequence[Cell], after: Sequence[Cell]) -> str:
    if shared.before is None or shared.after is None:
        return "the system message: the agent, its prompt or skills, or a system note."
    old, new = before[shared.before], after[shared.after]
    new_prunes = [position for position in prunes(after) if position not in prunes(before)]
    if old == new and new_prunes:
        return f"{describe_cell(after, new_prunes[-1])}: it drops old copies of files."
    if _is_same(old, new, shared):
        return (
            f"{describe_cell(after, shared.after)}: it was edited, run again, or is summed up now."
        )
    # The old one is still there, or the new one was there already: cells were moved or left out.
    if not any(_is_same(old, cell, shared) for cell in after):
        return f"{describe_cell(before, shared.before)}: it was deleted."
    if not any(_is_same(new, cell, shared) for cell in before):
        return f"{describe_cell(after, shared.after)}: it was put in."
    return (
        f"{describe_cell(before, shared.before)}: it was moved, or left out; "
        f"{describe_cell(after, shared.after)} now stands there."
    )


def _is_same(one: Cell, other: Cell, shared: SharedPrefix) -> bool:
    """Whether two cells are one; without ids their places say it."""
    if "id" in one or "id" in other:
        return one.get("id") == other.get("id")
    return one == other or shared.before == shared.after
