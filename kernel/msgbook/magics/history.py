"""`%compact`, `%prune` and `%stale`: old turns as summaries, old copies of files left out, turns that are out of date.

A kernel cannot write the metadata of cells. It asks a connected page to set `history` to `summary`, where
the user sees it and can undo it. Without a page, the magic prints what to write.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from msgbook.agents import AgentSources, ProjectFiles, resolve_agent
from msgbook.config import Settings
from msgbook.engine import Conversation
from msgbook.errors import MsgbookError
from msgbook.magics.base import MagicContext, UsageError
from msgbook.notebook import (
    Cell,
    Transcript,
    describe_cell,
    describe_cell_with_id,
    is_own_magic,
    parse_prompt,
    source_of,
)
from msgbook.notebook.magics_table import KEPT_TURNS, PRUNE_MAGIC
from msgbook.request import estimate_text_tokens
from msgbook.request.active_agent import AgentChooser
from msgbook.request.history import (
    DroppedFile,
    StaleTurn,
    View,
    ViewOf,
    history_of,
    kind_of,
    list_dropped_files,
    stale_turns,
    turns_of,
    with_late_contexts,
)
from msgbook.text import counted, one_line, visible
from msgbook_format.syntax import CellRule, is_excluded, is_summary
from msgbook_format.turn import Turn

_SHOWN = 20
"""Lines of a list that are printed before `... and N more`."""
_BY_HAND = (
    'Write history="summary" into their footnotes, or %%msg history=summary as their first lines.'
)


@dataclass(frozen=True, slots=True)
class Compaction:
    """Result of choosing the turns to summarize."""

    text: str
    """Text for the user."""
    message: Mapping[str, Any] | None
    """Message `{"type": "cells.mark", "cells": [id, ...], "history": "summary"}` for the pages; None if
    there is nothing to mark."""


async def compact(context: MagicContext, words: Sequence[str]) -> str:
    """Send old turns as summaries from now on."""
    transcript = await context.transcript()
    cell_rule = context.conversation.request_builder.cell_rule
    # A page that does not show these cells cannot mark them.
    mark = context.mark if transcript.source == "live" else None
    if mark is not None:
        compaction = choose_turns(words, transcript.earlier, cell_rule, has_page=True)
        if compaction.message is None or mark(compaction.message):
            return compaction.text
    return choose_turns(words, transcript.earlier, cell_rule, has_page=False).text


def choose_turns(
    words: Sequence[str], cells: Sequence[Cell], cell_rule: CellRule, *, has_page: bool
) -> Compaction:
    """Choose the turns above to summarize: all but the last few.

    A turn that is excluded, or whose `%%msg` line sets `history`, is never chosen.

    Args:
        words: At most one, the number of turns that are sent in full.
        cells: The cells above.
        has_page: Whether a page can set the metadata.

    Raises:
        UsageError: The word is not a number.
    """
    kept = _number(words)
    turns = [i for i, cell in enumerate(cells) if _is_sent_in_full(cell, cell_rule)]
    old = turns[: max(0, len(turns) - kept)]
    if not old:
        return Compaction(f"Nothing to sum up: {len(turns)} turns above are sent in full.", None)
    lines = [f"  {describe_cell(cells, position)}" for position in old[:_SHOWN]]
    lines += [f"  ... and {len(old) - _SHOWN} more"] if len(old) > _SHOWN else []
    ids = [cells[i]["id"] for i in old if isinstance(cells[i].get("id"), str)]
    if has_page and len(ids) == len(old):
        head = f"Sent as summaries from now on ({len(old)}):"
        tail = (
            "The summaries are made when the next prompt runs. To send a turn in full again, undo this in "
            "the notebook, or write %%msg history=include as the first line of its prompt."
        )
        message = {"type": "cells.mark", "cells": ids, "history": "summary"}
        return Compaction("\n".join([head, *lines, tail]), message)
    head = f"No page is open that could mark the cells. These turns can be summed up ({len(old)}):"
    return Compaction("\n".join([head, *lines, _BY_HAND]), None)


def _number(words: Sequence[str]) -> int:
    if not words:
        return KEPT_TURNS
    if len(words) == 1 and words[0].isascii() and words[0].isdigit():
        return int(words[0][:9])
    raise UsageError(
        f"Expected the number of turns to send in full after %compact, got {' '.join(words)!r}."
    )


def _is_sent_in_full(cell: Cell, cell_rule: CellRule) -> bool:
    """Return whether a cell is an answered prompt that is sent in full."""
    history = history_of(cell)
    return (
        kind_of(cell, cell_rule) == "prompt"
        and "history" not in parse_prompt(source_of(cell)).attributes
        and not is_excluded(history)
        and not is_summary(history)
        and bool(turns_of(cell))
    )


# `%prune`: stops sending old copies of files to the cells below.


"""Listed files."""


async def prune(context: MagicContext, _words: Sequence[str]) -> str:
    """List the copies that are not sent any more. The cell itself, by its position, drops them."""
    builder = context.conversation.request_builder
    cells = (await context.transcript()).earlier
    return list_dropped(cells, builder.cell_rule, builder.blobs.load)


def list_dropped(
    cells: Sequence[Cell], cell_rule: CellRule, load: Callable[[str], str | None]
) -> str:
    """List the copies that a `%prune` below some cells drops and none above it has dropped.

    Args:
        load: Returns the text with a sha256 in hex; None if it is gone.
    """
    cells = with_late_contexts(cells, cell_rule)
    here: Cell = {"cell_type": "code", "source": PRUNE_MAGIC}
    before = set(list_dropped_files(cells, cell_rule))
    copies = [
        copy
        for copy in list_dropped_files([*cells, here], cell_rule)
        if copy.had_text and copy not in before
    ]
    if not copies:
        return "Nothing to drop: only one copy of each file above is sent."
    tokens = sum(estimate_text_tokens(load(copy.sha256) or "") for copy in copies)
    files: dict[str, list[DroppedFile]] = {}
    for copy in copies:
        files.setdefault(copy.key, []).append(copy)
    lines = [f"  {_line(key, dropped_here)}" for key, dropped_here in files.items()]
    if len(lines) > _SHOWN:
        lines[_SHOWN:] = [f"  ... and {counted(len(lines) - _SHOWN, 'more file')}"]
    head = f"No longer sent to the cells below, about {counted(tokens, 'token')} (an estimate):"
    return "\n".join([head, *lines, "The newest copy of each file is still sent."])


def _line(key: str, copies: Sequence[DroppedFile]) -> str:
    versions = ", ".join(str(copy.version) for copy in copies)
    noun = "version" if len(copies) == 1 else "versions"
    return f"{visible(one_line(key, 100))}: {noun} {versions}"


# `%stale`: the turns above whose requests would be different today.


"""Listed turns."""


async def stale(context: MagicContext, _words: Sequence[str]) -> str:
    """List the turns above whose requests would be different today."""
    transcript = await context.transcript()
    return describe_stale_turns(
        await find_stale_turns(context.conversation, transcript), transcript.earlier
    )


async def find_stale_turns(conversation: Conversation, transcript: Transcript) -> list[StaleTurn]:
    """Return the turns above whose requests would be different today."""
    builder = conversation.request_builder
    project = await builder.read_project()
    await builder.restore_texts(transcript, project)
    views = make_turn_views(
        builder.agent_chooser, transcript, project, conversation.services.settings
    )
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
    """Return the place of the first change, as exactly as what is saved shows it."""
    if first.sure:
        return f"in {', '.join(describe_cell_with_id(cells, cell) for cell in first.sure[:_SHOWN])}"
    places = [describe_cell_with_id(cells, first.changed[0])]
    if len(first.changed) > 1:
        places.append(describe_cell_with_id(cells, first.changed[-1]))
    where = f"in {' to '.join(places)}, or a cell that was deleted there"
    return f"in the system message (agent, skills), or {where}" if first.maybe_system else where


# The views with which earlier turns were requested.


def make_turn_views(
    chooser: AgentChooser, transcript: Transcript, project: ProjectFiles, settings: Settings
) -> ViewOf:
    """Return a function that gives the view of a turn above."""
    cells = transcript.earlier
    sources = AgentSources.from_notebook(transcript.metadata, project, settings.agents)
    magics_above = list(accumulate(is_own_magic(source_of(cell)) for cell in cells))
    known: dict[tuple[str, str, int], View | None] = {}

    def make_view(position: int, name: str, model: str) -> View | None:
        try:
            agent = resolve_agent(name, cells[:position], sources).agent
            return chooser.make_view(agent, model, transcript, project)[0]
        except MsgbookError:
            return None  # the agent or its provider is gone

    def view_of(position: int, turn: Turn) -> View | None:
        name: Any = turn.get("agent")
        model: Any = turn.get("model")
        if not (isinstance(name, str) and isinstance(model, str)):
            return None
        # `%agent new` cells are magics: between two magics, agents do not change.
        key = name, model, magics_above[position]
        if key not in known:
            known[key] = make_view(position, name, model)
        return known[key]

    return view_of
