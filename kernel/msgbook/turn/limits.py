"""The limits of a turn: model calls, tokens, seconds, and the same failure again and again."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from typing import Any

from msgbook.text import one_line
from msgbook_format.turn import Usage

REPEATED_FAILURES = 3
"""Number of times in a row that the same call may fail; then the turn ends."""

_HOW_TO_CONTINUE = "To continue, run a cell with %continue."


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one turn; None stands for no limit."""

    max_steps: int = 30
    """Model calls."""
    token_budget: int | None = None
    """Input and output tokens of all model calls; checked after each call."""
    time_budget: float | None = None
    """Seconds, without the time in which a person is asked."""
    warn_tokens: int = 100_000
    """Estimated tokens of a request above which the reader is warned. Most models accept 128,000 or
    more."""

    def narrow(self, wanted: Mapping[str, Any]) -> tuple[Limits, list[str]]:
        """Return these limits lowered to the values that a notebook wants. It can raise none.

        Returns:
            The limits, and a line for each value that is ignored.
        """
        accepted: dict[str, Any] = {}
        refusals = []
        for key in LIMIT_KEYS & wanted.keys():
            number, own = _positive(wanted[key]), getattr(self, key)
            setting = f"{key}={one_line(str(wanted[key]), 80)}"
            if number is None:
                refusals.append(f"{setting} is ignored: expected a positive number.")
            elif own is not None and number > own:
                refusals.append(f"{setting} is ignored: your own limit is {own}.")
            else:
                accepted[key] = number if key == "time_budget" else math.ceil(number)
        return replace(self, **accepted), refusals


LIMIT_KEYS = frozenset(field.name for field in fields(Limits))


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


def _positive(value: Any) -> float | None:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if 0 < number < math.inf else None
