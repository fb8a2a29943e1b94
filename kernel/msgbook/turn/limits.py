"""When a turn has gone on for long enough."""

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
"""The same failing call so many times in a row ends the turn."""

_GO_ON = "A cell %continue goes on."


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one turn; None for none."""

    max_steps: int = 30
    """Model calls."""
    token_budget: int | None = None
    """Tokens of all model calls, input and output; looked at after each."""
    time_budget: float | None = None
    """Seconds, without those in which a person is asked."""
    warn_tokens: int = 100_000
    """Tokens that a request may have by estimate without a warning; most models take 128,000 or
    more."""

    def narrowed(self, wanted: Mapping[str, Any]) -> tuple[Limits, list[str]]:
        """These limits, lowered by what a notebook wants: it can take away but not grant.

        Returns:
            The limits, and a line for each value that is not followed.
        """
        followed: dict[str, Any] = {}
        refusals = []
        for key in LIMIT_KEYS & wanted.keys():
            number, own = _positive(wanted[key]), getattr(self, key)
            said = f"{key}={one_line(str(wanted[key]), 80)}"
            if number is None:
                refusals.append(f"{said} is no positive number; it is ignored.")
            elif own is not None and number > own:
                refusals.append(f"{said} is more than your own limit, {own}, allows.")
            else:
                followed[key] = number if key == "time_budget" else math.ceil(number)
        return replace(self, **followed), refusals


LIMIT_KEYS = frozenset(field.name for field in fields(Limits))


class Meter:
    """What a turn has used of its budgets.

    Args:
        clock: Monotonic seconds.
    """

    def __init__(self, limits: Limits, clock: Callable[[], float]) -> None:
        self._limits = limits
        self._clock = clock
        self._ends = None if limits.time_budget is None else clock() + limits.time_budget
        self._tokens = 0
        self._out_of_time = False

    @property
    def time_left(self) -> float | None:
        """Seconds; None without a budget."""
        return None if self._ends is None else max(self._ends - self._clock(), 0.0)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """While it is open, time is not counted: a person is asked."""
        began = self._clock()
        try:
            yield
        finally:
            if self._ends is not None:
                self._ends += self._clock() - began

    def count_tokens(self, usage: Usage | None, said: object) -> None:
        """Count one model call.

        Args:
            said: The request and its answer. Where the server tells no usage, four characters of
                their JSON count as a token.
        """
        if self._limits.token_budget is None:
            return
        told = usage or {}
        tokens = told.get("input_tokens", 0) + told.get("output_tokens", 0)
        self._tokens += tokens or len(json.dumps(said, ensure_ascii=False)) // 4

    def run_out(self) -> None:
        """The time is over, whatever the clock's last digit says."""
        self._out_of_time = True

    @property
    def spent(self) -> str | None:
        """Which budget is used up, for a person; None while there is some left."""
        if self._out_of_time or self.time_left == 0:
            return f"The time budget of {self._limits.time_budget:g} s is used up. {_GO_ON}"
        budget = self._limits.token_budget
        if budget is not None and self._tokens >= budget:
            return f"The budget of {budget} tokens is used up ({self._tokens}). {_GO_ON}"
        return None


class Breaker:
    """Notices a model that makes the same failing call again and again."""

    def __init__(self) -> None:
        self._call: tuple[str, str] | None = None
        self._failures = 0

    def take(self, name: str, arguments: str, status: str) -> None:
        """Take in what came of a call."""
        failed = (name, arguments) if status in ("error", "denied") else None
        self._failures = self._failures + 1 if failed is not None and failed == self._call else 1
        self._call = failed

    @property
    def tripped(self) -> str | None:
        """What the model did, for a person; None while it may go on."""
        if self._call is None or self._failures < REPEATED_FAILURES:
            return None
        return (
            f"The model made the same failing call of {self._call[0]!r} {REPEATED_FAILURES} times "
            f"in a row, so the turn ends here. {_GO_ON}"
        )


def max_steps_reached(limits: Limits) -> str:
    """Why a turn ends that used all its model calls, for a person."""
    return f"The limit of {limits.max_steps} model calls (max_steps) is reached. {_GO_ON}"


def _positive(value: Any) -> float | None:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if 0 < number < math.inf else None
