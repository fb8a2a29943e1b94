"""The tokens of a turn: the sums over its steps. Pure."""

from __future__ import annotations

from typing import cast

from msgbook_format.turn import Usage


class UsageCount:
    """The tokens that servers reported for a turn's steps, and the number of steps without a report."""

    def __init__(self) -> None:
        self._sums: dict[str, int] = {}
        self._unreported_steps = 0
        self._is_step_unreported = False
        """Whether a step has begun for which nothing has been reported yet."""

    def begin_step(self) -> None:
        """Begin the next step and end the one before."""
        self.end_step()
        self._is_step_unreported = True

    def add(self, usage: Usage | None) -> None:
        """Add the tokens reported for the step, if any."""
        for key, value in cast("dict[str, int]", usage or {}).items():
            self._sums[key] = self._sums.get(key, 0) + value
            self._is_step_unreported = False

    def end_step(self) -> None:
        """End the step, and count it if nothing was reported for it."""
        self._unreported_steps += self._is_step_unreported
        self._is_step_unreported = False

    def total(self) -> Usage | None:
        """Return the sums so far; None if nothing was reported for any step."""
        if not self._sums:
            return None
        unreported = {"untold_steps": self._unreported_steps} if self._unreported_steps else {}
        return cast("Usage", {**self._sums, **unreported})
