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
    answer_limit: int = 1_000_000
    """Characters of text, reasoning and arguments in the answer to one model call. Models that write
    128,000 tokens at most stay below it."""
    warn_tokens: int = 100_000
    """Estimated tokens of a request above which the reader is warned. Most models accept 128,000 or
    more."""
    subagent_depth: int = 1
    """Levels of sub-agents below a conversation: with 1, a sub-agent starts none itself; with 0, no
    agent starts any."""
    subagents_at_once: int = 8
    """Sub-agents of one call that run side by side; more wait."""
    max_subagents: int = 24
    """Sub-agents that a turn may start, those of its sub-agents included."""

    def narrow(self, wanted: Mapping[str, Any]) -> tuple[Limits, list[str]]:
        """Return these limits lowered to the values that a notebook wants. It can raise none.

        Returns:
            The limits, and a line for each value that is ignored.
        """
        accepted: dict[str, Any] = {}
        refusals = []
        for key in LIMIT_KEYS & wanted.keys():
            number, own = _number(key, wanted[key]), getattr(self, key)
            setting = f"{key}={one_line(str(wanted[key]), 80)}"
            if number is None:
                refusals.append(f"{setting} is ignored: expected {expected_number(key)}.")
            elif own is not None and number > own:
                refusals.append(f"{setting} is ignored: your own limit is {own}.")
            else:
                accepted[key] = math.ceil(number) if key in WHOLE_LIMITS else number
        return replace(self, **accepted), refusals


LIMIT_KEYS = frozenset(field.name for field in fields(Limits))

WHOLE_LIMITS = LIMIT_KEYS - {"time_budget"}
"""Limits that are whole numbers."""


_MAY_BE_ZERO = {"subagent_depth", "max_subagents"}


def is_in_range(key: str, number: float) -> bool:
    """Return whether a limit may have this value."""
    return (number >= 0 if key in _MAY_BE_ZERO else number > 0) and number < math.inf


def expected_number(key: str) -> str:
    """Return a description of the values that a limit may have."""
    return "0 or a positive number" if key in _MAY_BE_ZERO else "a positive number"


def _number(key: str, value: Any) -> float | None:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if is_in_range(key, number) else None
