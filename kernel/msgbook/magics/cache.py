"""`%cache`: part of the last request that a server may have cached, and what broke the cache."""

from __future__ import annotations

from collections.abc import Sequence

from msgbook.magics.base import MagicContext
from msgbook.notebook import Cell, describe_cell
from msgbook.request.history import SentRequest, SharedPrefix, prune_positions, shared_prefix
from msgbook.text import visible


async def cache(context: MagicContext, _words: Sequence[str]) -> str:
    """Compare the requests of the last two turns."""
    return compare_requests(list(context.engine.request_builder.sent))


def compare_requests(sent: Sequence[SentRequest]) -> str:
    """Compare the first requests of the last two turns of this session.

    Args:
        sent: Requests in the order in which they were sent.
    """
    if len(sent) < 2:
        return "There is nothing to compare yet: this takes two turns of this session."
    earlier, later = sent[-2:]
    shared = shared_prefix(earlier.request, later.request)
    size = f"The last request had {shared.total:,} bytes of messages."
    same = f"The first {shared.bytes:,} of them ({shared.share:.1%})"
    lines = [f"{size} {same} are the same as in the request before."]
    changes = describe_changes(shared, earlier, later)
    lines += changes or ["Nothing broke the cache: the last request repeats all of the one before."]
    return "\n".join(lines)


def describe_changes(shared: SharedPrefix, earlier: SentRequest, later: SentRequest) -> list[str]:
    """Return what keeps a server from using its cache for all of the earlier request, a line each."""
    lines = []
    if earlier.model != later.model:
        models = f"{visible(earlier.model)}, then {visible(later.model)}"
        lines.append(f"The model changed ({models}). Models share no cache.")
    if earlier.tools != later.tools:
        lines.append(
            "The tools changed. Servers put them first, so they cache nothing that follows."
        )
    if shared.is_broken and earlier.agent != later.agent:
        agents = f"{visible(earlier.agent)}, then {visible(later.agent)}"
        lines.append(
            f"The agent changed ({agents}). Each agent reads the turns of the other as messages."
        )
    elif shared.is_broken:
        lines.append(f"The cache was broken by {_culprit(shared, earlier.cells, later.cells)}")
    return lines


def _culprit(shared: SharedPrefix, before: Sequence[Cell], after: Sequence[Cell]) -> str:
    if shared.before is None or shared.after is None:
        return (
            "the system message: the agent, its system prompt or skills, or a system note changed."
        )
    old, new = before[shared.before], after[shared.after]
    new_prunes = [
        position for position in prune_positions(after) if position not in prune_positions(before)
    ]
    if old == new and new_prunes:
        return f"{describe_cell(after, new_prunes[-1])}: it drops old copies of files."
    if _is_same(old, new, shared):
        return f"{describe_cell(after, shared.after)}: it was edited, was run again, or is sent as a summary now."
    # If the old cell is still there, or the new one was there before, cells were moved or left out.
    if not any(_is_same(old, cell, shared) for cell in after):
        return f"{describe_cell(before, shared.before)}: it was deleted."
    if not any(_is_same(new, cell, shared) for cell in before):
        return f"{describe_cell(after, shared.after)}: it was inserted."
    return (
        f"{describe_cell(before, shared.before)}: it was moved or left out. "
        f"{describe_cell(after, shared.after)} is there now."
    )


def _is_same(one: Cell, other: Cell, shared: SharedPrefix) -> bool:
    """Return whether two cells are the same cell. Without ids their positions decide."""
    if "id" in one or "id" in other:
        return one.get("id") == other.get("id")
    return one == other or shared.before == shared.after
