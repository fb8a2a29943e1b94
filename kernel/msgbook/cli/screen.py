"""Display of turns: text that grows on a terminal, a summary of each turn in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

from msgbook.cli.terminal import complain, say, write
from msgbook.display.turn_view import HiddenTurn, TurnView
from msgbook.messages import content_text
from msgbook.notebook import Cell
from msgbook.turn import TurnRecord
from msgbook_format.turn import NOTICES, TOOL_RESULTS, Turn


class TurnScreen(Protocol):
    """The display of the turns of a file, as `FileTurns` uses it."""

    @property
    def live(self) -> bool:
        """Return whether a person sees the turns as they grow."""
        ...

    def begin(self, cell: Cell, record: TurnRecord) -> TurnView:
        """Show that a prompt is being answered. Call it in the event loop's thread."""
        ...

    def end(self, cell: Cell, turn: Turn) -> None:
        """Show the end of a turn."""
        ...


@dataclass(frozen=True, slots=True)
class Screen:
    """Display of the turns of a verb."""

    verb: str
    live: bool
    """Whether turns are shown as they grow: standard output is a terminal."""
    heading: Callable[[Cell], str] | None
    """Returns the line above a turn that grows; None for no line."""
    summary: Callable[[Cell, Turn], str]
    """Returns all that is shown of a turn that does not grow."""
    place: Callable[[Cell], str]
    """Returns the source of a warning: the file, and the cell if there are several."""

    def begin(self, cell: Cell, record: TurnRecord) -> TurnView:
        """Show that a prompt is being answered. Call it in the event loop's thread."""
        if not self.live:
            return HiddenTurn()
        if self.heading:
            say(self.heading(cell))
        from msgbook.display.console import TextDisplay

        return TextDisplay(record, _send)

    def end(self, cell: Cell, turn: Turn) -> None:
        """Show the end of a turn.

        Warnings and denied calls go to standard error unless they were shown before.
        """
        if self.live:
            if self.heading:
                say("")
            return
        for words in find_notices(turn):
            complain(self.verb, f"{self.place(cell)}: {words}")
        say(self.summary(cell, turn))
        sys.stdout.flush()


def find_notices(turn: Turn) -> Iterator[str]:
    """Yield the warnings of a turn, and why calls were denied."""
    for block in NOTICES.among(turn["blocks"]):
        if block.get("level") == "warning":
            yield str(block.get("text", ""))
    for block in TOOL_RESULTS.among(turn["blocks"]):
        if block.get("status") == "denied":
            yield content_text(block.get("content", ""))


def _send(_kind: str, content: dict[str, Any]) -> None:
    # If the terminal is gone, the turn still has to be saved.
    with suppress(OSError):
        write(content["text"], sys.stdout)
        sys.stdout.flush()
