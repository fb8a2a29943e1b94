"""Turns on a terminal, as growing text; in a pipe, a summary of each."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from msgbook.cli.terminal import complain, say, write
from msgbook.display.turn_view import HiddenTurn, TurnView
from msgbook_format.turn import blocks_of_type

if TYPE_CHECKING:
    from msgbook.notebook import Cell
    from msgbook.turn import TurnRecord
    from msgbook_format.turn import Turn


@dataclass(frozen=True, slots=True)
class Screen:
    """How a verb shows its turns."""

    verb: str
    live: bool
    """Whether turns are shown as they grow: standard output is a terminal."""
    heading: Callable[[Cell], str] | None
    """The line above a turn that grows; None for none."""
    summary: Callable[[Cell, Turn], str]
    """All that is shown of a turn that does not grow."""
    place: Callable[[Cell], str]
    """Where a warning comes from: the file, and the cell where there are several."""

    def begin(self, cell: Cell, record: TurnRecord) -> TurnView:
        """Show that a prompt is being answered. Belongs to the event loop's thread."""
        if not self.live:
            return HiddenTurn()
        from msgbook.display.console import TextDisplay

        if self.heading:
            say(self.heading(cell))
        return TextDisplay(record, _send)

    def end(self, cell: Cell, turn: Turn) -> None:
        """Show the end of a turn; warnings go to standard error, if they are not shown yet."""
        if self.live:
            if self.heading:
                say("")
            return
        for block in blocks_of_type(turn["blocks"], "notice"):
            if block.get("level") == "warning":
                complain(self.verb, f"{self.place(cell)}: {block.get('text', '')}")
        say(self.summary(cell, turn))
        sys.stdout.flush()


def _send(_kind: str, content: dict[str, Any]) -> None:
    # A terminal that is gone is no reason to lose the turn.
    with suppress(OSError):
        write(content["text"], sys.stdout)
        sys.stdout.flush()
