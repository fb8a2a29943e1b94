"""`%compact [N]`: old turns are sent as summaries from now on.

A kernel cannot write a cell's metadata. So the magic names the cells; a page that is connected is
asked to set `history` of them to `summary`, which the user then sees and can take back there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from msgbook.magics.base import UsageError
from msgbook.notebook.cell_names import describe_cell
from msgbook.notebook.cells import Cell, IsMagic, is_excluded, parse_prompt, source_of
from msgbook.request.history.cell import turns_of
from msgbook.request.history.kind import history_of, is_summary, kind_of

KEPT = 5
"""Turns that stay whole where no number is said."""

_SHOWN = 20
_BY_HAND = (
    'Write history="summary" into their footnotes, or %%msg history=summary as their first lines.'
)


@dataclass(frozen=True, slots=True)
class Compaction:
    """What `%compact` wants."""

    text: str
    """What is printed."""
    message: Mapping[str, Any] | None
    """For the pages: `{"type": "cells.mark", "cells": [id, ...], "history": "summary"}`; None when
    there is nothing to mark."""


def compact(
    words: Sequence[str], cells: Sequence[Cell], is_magic: IsMagic, *, has_page: bool
) -> Compaction:
    """Choose the turns above that are to be summed up: all but the last few.

    Turns that a `%%msg` line includes are left alone, as are those that are excluded.

    Args:
        words: At most one, the number of turns that stay whole.
        cells: Those above.
        has_page: Whether somebody can be asked to set the metadata.

    Raises:
        UsageError: The word is no number.
    """
    kept = _number(words)
    turns = [i for i, cell in enumerate(cells) if _is_whole_turn(cell, is_magic)]
    old = turns[: max(0, len(turns) - kept)]
    if not old:
        return Compaction(f"Nothing to sum up: {len(turns)} turns above stand whole.", None)
    lines = [f"  {describe_cell(cells, position)}" for position in old[:_SHOWN]]
    lines += [f"  ... and {len(old) - _SHOWN} more"] if len(old) > _SHOWN else []
    ids = [cells[i]["id"] for i in old if isinstance(cells[i].get("id"), str)]
    if has_page and len(ids) == len(old):
        head = f"Sent as summaries from now on ({len(old)}):"
        tail = (
            "The next prompt has the summaries made. To take it back, undo it, or write %%msg "
            "history=include as the first line of a prompt."
        )
        message = {"type": "cells.mark", "cells": ids, "history": "summary"}
        return Compaction("\n".join([head, *lines, tail]), message)
    head = f"No page is open that could mark the cells. To be summed up ({len(old)}):"
    return Compaction("\n".join([head, *lines, _BY_HAND]), None)


def _number(words: Sequence[str]) -> int:
    if not words:
        return KEPT
    if len(words) == 1 and words[0].isascii() and words[0].isdigit():
        return int(words[0][:9])
    raise UsageError(
        f"%compact takes the number of turns that stay whole, not {' '.join(words)!r}."
    )


def _is_whole_turn(cell: Cell, is_magic: IsMagic) -> bool:
    """Whether a cell is an answered prompt that is sent as it is."""
    history = history_of(cell)
    return (
        kind_of(cell, is_magic) == "prompt"
        and "history" not in parse_prompt(source_of(cell)).attributes
        and not is_excluded(history)
        and not is_summary(history)
        and bool(turns_of(cell))
    )
