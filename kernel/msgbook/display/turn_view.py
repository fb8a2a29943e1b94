"""The interface through which a running turn is shown, and the choice of its form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


class TurnView(Protocol):
    """Shows the record of a turn while it runs. Belongs to the event loop's thread."""

    def changed(self) -> None:
        """Show the record soon."""

    def show(self) -> None:
        """Show the record now."""

    def finish(self) -> None:
        """Show the record now; it no longer changes."""


@dataclass
class DisplayMode:
    """The way turns are shown to clients that name no cells; `%display` changes it."""

    as_text: bool = False


class HiddenTurn:
    """A `TurnView` that shows nothing."""

    def changed(self) -> None:
        pass

    def show(self) -> None:
        pass

    def finish(self) -> None:
        pass
