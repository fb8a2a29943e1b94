"""The tokens of a turn, added up over its steps. Pure."""

from __future__ import annotations

from typing import cast

from msgbook_format.turn import Usage


class UsageCount:
    """What servers told of the tokens of a turn's steps, and how many steps they told nothing of."""

    def __init__(self) -> None:
        self._sums: dict[str, int] = {}
        self._untold_steps = 0
        self._open = False
        """Whether a step has begun of which nothing was told yet."""

    def begin_step(self) -> None:
        """Begin the next step; the one before is over."""
        self.end_step()
        self._open = True

    def add(self, usage: Usage | None) -> None:
        """Add what was told of the step; nothing when it is None or empty."""
        for key, value in cast("dict[str, int]", usage or {}).items():
            self._sums[key] = self._sums.get(key, 0) + value
            self._open = False

    def end_step(self) -> None:
        """Count the step that is over if nothing was told of it."""
        self._untold_steps += self._open
        self._open = False

    def total(self) -> Usage | None:
        """The sums so far; None when nothing was told of any step."""
        if not self._sums:
            return None
        untold = {"untold_steps": self._untold_steps} if self._untold_steps else {}
        return cast("Usage", {**self._sums, **untold})
