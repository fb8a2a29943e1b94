"""The limits of a turn: the one table of their names and defaults. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from msgbook.text import one_line


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one turn; None stands for no limit. The fields are named as in `[limits]` and `%%msg`."""

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
                accepted[key] = math.ceil(number) if key in WHOLE_LIMITS else number
        return replace(self, **accepted), refusals


LIMIT_KEYS = frozenset(field.name for field in fields(Limits))

WHOLE_LIMITS = LIMIT_KEYS - {"time_budget"}
"""Limits that are whole numbers."""


def _positive(value: Any) -> float | None:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if 0 < number < math.inf else None
