"""`%compact [N]`: sends old turns as summaries from now on.

A kernel cannot write the metadata of cells. It asks a connected page to set `history` to `summary`, where
the user sees it and can undo it. Without a page, the magic prints what to write.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from msgbook.magics.base import MagicContext, UsageError
from msgbook.notebook import Cell, IsMagic, describe_cell, parse_prompt, source_of
from msgbook.notebook.magics_table import KEPT_TURNS
from msgbook.request.history import history_of, kind_of, turns_of
from msgbook_format.syntax import is_excluded, is_summary

_SHOWN = 20
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
    is_magic = context.engine.request_builder.is_magic
    # A page that does not show these cells cannot mark them.
    mark = context.mark if transcript.source == "live" else None
    if mark is not None:
        compaction = choose_turns(words, transcript.earlier, is_magic, has_page=True)
        if compaction.message is None or mark(compaction.message):
            return compaction.text
    return choose_turns(words, transcript.earlier, is_magic, has_page=False).text


def choose_turns(
    words: Sequence[str], cells: Sequence[Cell], is_magic: IsMagic, *, has_page: bool
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
    turns = [i for i, cell in enumerate(cells) if _is_sent_in_full(cell, is_magic)]
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


def _is_sent_in_full(cell: Cell, is_magic: IsMagic) -> bool:
    """Return whether a cell is an answered prompt that is sent in full."""
    history = history_of(cell)
    return (
        kind_of(cell, is_magic) == "prompt"
        and "history" not in parse_prompt(source_of(cell)).attributes
        and not is_excluded(history)
        and not is_summary(history)
        and bool(turns_of(cell))
    )
