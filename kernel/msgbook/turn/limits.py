"""The limits of a turn: model calls, tokens, seconds, and the same failure again and again."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from msgbook.config.limits import Limits
from msgbook_format.turn import Usage

REPEATED_FAILURES = 3
"""Number of times in a row that the same call may fail; then the turn ends."""

_HOW_TO_CONTINUE = "To continue, run a cell with %continue."


class Budgets:
    """The time and the tokens that a turn has used, and its budgets of both.

    Args:
        clock: Returns monotonic seconds.
    """

    def __init__(self, limits: Limits, clock: Callable[[], float]) -> None:
        self._limits = limits
        self._clock = clock
        self._ends = None if limits.time_budget is None else clock() + limits.time_budget
        self._tokens = 0
        self._out_of_time = False

    @property
    def time_left(self) -> float | None:
        """Seconds left; None without a time budget."""
        return None if self._ends is None else max(self._ends - self._clock(), 0.0)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Do not count the time while the context is open, because a person is asked."""
        began = self._clock()
        try:
            yield
        finally:
            if self._ends is not None:
                self._ends += self._clock() - began

    def count_tokens(self, usage: Usage | None, exchanged: object) -> None:
        """Count the tokens of one model call.

        Args:
            usage: The tokens that the server reported.
            exchanged: The request and its answer. If the server reported no tokens, four
                characters of their JSON count as one.
        """
        if self._limits.token_budget is None:
            return
        reported = usage or {}
        tokens = reported.get("input_tokens", 0) + reported.get("output_tokens", 0)
        self._tokens += tokens or len(json.dumps(exchanged, ensure_ascii=False)) // 4

    def run_out(self) -> None:
        """Count the time budget as used up, even if the clock lags behind the timeout."""
        self._out_of_time = True

    @property
    def notice(self) -> str | None:
        """Notice about the budget that is used up; None while every budget has something left."""
        if self._out_of_time or self.time_left == 0:
            return (
                f"The time budget of {self._limits.time_budget:g} s is used up. {_HOW_TO_CONTINUE}"
            )
        budget = self._limits.token_budget
        if budget is not None and self._tokens >= budget:
            return f"The budget of {budget} tokens is used up ({self._tokens}). {_HOW_TO_CONTINUE}"
        return None


class RepeatedFailures:
    """Count of the failures in a row of the same call."""

    def __init__(self) -> None:
        self._call: tuple[str, str] | None = None
        self._failures = 0

    def add(self, name: str, arguments: str, status: str) -> None:
        """Count the result of a call."""
        failed = (name, arguments) if status in ("error", "denied") else None
        self._failures = self._failures + 1 if failed is not None and failed == self._call else 1
        self._call = failed

    @property
    def notice(self) -> str | None:
        """Notice that the same call failed too often; None while the turn may continue."""
        if self._call is None or self._failures < REPEATED_FAILURES:
            return None
        return (
            f"The model made the same failing call of {self._call[0]!r} {REPEATED_FAILURES} times "
            f"in a row, so the turn has ended. {_HOW_TO_CONTINUE}"
        )


def max_steps_notice(limits: Limits) -> str:
    """Return the notice of a turn that has used all its model calls."""
    return f"The limit of {limits.max_steps} model calls (max_steps) is reached. {_HOW_TO_CONTINUE}"
