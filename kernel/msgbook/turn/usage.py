"""The tokens of a turn: the sums over its steps. Pure."""

from __future__ import annotations

from typing import cast

from msgbook_format.turn import Usage


class UsageCount:
    """The tokens that servers reported for a turn's steps, and the number of steps without a report."""

    def __init__(self) -> None:
        self._sums: dict[str, int] = {}
        self._unreported_steps = 0
        self._step: dict[str, int] = {}
        """What was last reported for the current attempt of the step."""
        self._is_step_unreported = False
        """Whether a step or an attempt has begun for which nothing has been reported yet."""

    def begin_step(self) -> None:
        """Begin the next step and end the one before."""
        self.end_step()
        self._is_step_unreported = True

    def report(self, usage: Usage | None) -> None:
        """Set the tokens reported for the step, if any, in place of what the attempt reported before."""
        if usage:
            self._step = cast("dict[str, int]", dict(usage))
            self._is_step_unreported = False

    def begin_attempt(self) -> None:
        """Ask again in the same step: what a failed attempt reported was spent."""
        if self._step:
            self._sums, self._step = self._with_step(), {}
            self._is_step_unreported = True

    def end_step(self) -> None:
        """End the step, and count it if nothing was reported for it."""
        self._sums, self._step = self._with_step(), {}
        self._unreported_steps += self._is_step_unreported
        self._is_step_unreported = False

    def total(self) -> Usage | None:
        """Return the sums so far; None if nothing was reported for any step."""
        sums = self._with_step()
        if not sums:
            return None
        unreported = {"untold_steps": self._unreported_steps} if self._unreported_steps else {}
        return cast("Usage", {**sums, **unreported})

    def _with_step(self) -> dict[str, int]:
        sums = dict(self._sums)
        for key, value in self._step.items():
            sums[key] = sums.get(key, 0) + value
        return sums
