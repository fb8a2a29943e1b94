"""The answer that `%continue` continues. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from msgbook.notebook import Cell, outputs_of, source_of
from msgbook.request.history.kind import history_of, is_continue
from msgbook.turn import turn_messages
from msgbook_format.syntax import is_excluded
from msgbook_format.turn import turn_of


def has_incomplete_answer(cells: Sequence[Cell]) -> bool:
    """Return whether the last answer is incomplete: cut off, stopped, failed or interrupted."""
    for cell in reversed(cells):
        if is_excluded(history_of(cell)):
            continue
        for turn in filter(None, map(turn_of, reversed(outputs_of(cell)))):
            if not is_continue(source_of(cell)) or turn_messages(turn["blocks"]):
                return turn["status"] != "done"
    return False
