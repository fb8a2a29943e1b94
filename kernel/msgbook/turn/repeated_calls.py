"""Calls that a model makes again and again. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgbook.text import join_first, one_line
from msgbook.turn.limits import HOW_TO_CONTINUE
from msgbook_format.turn import Block, match_results

REPEATED_CALLS = 3
"""Number of times in a row that the same call may fail, or get the same result; then the turn ends."""

_NAMED, _NAME_LENGTH = 3, 64


class RepeatedCalls:
    """Counts of what repeats in a row: the failures of one call, and whole steps.

    A failure counts with each call, because the next one would fail as well. Other results count
    step by step, because the model has not seen those of a step when it makes the step's calls: a
    step repeats if it makes the same calls as the one before, with the same results.
    """

    def __init__(self) -> None:
        self._failed: tuple[str, str] | None = None
        self._failures = 0
        self._step: list[Any] = []
        self._steps = 0

    def add(self, name: str, arguments: str, status: str) -> None:
        """Count the result of a call."""
        failed = (name, arguments) if status in ("error", "denied") else None
        is_same = failed is not None and failed == self._failed
        self._failures = self._failures + 1 if is_same else 1
        self._failed = failed

    def end_step(self, blocks: Sequence[Block]) -> None:
        """Count a step, given its blocks."""
        results = match_results(blocks)
        step = [
            tuple(blocks[call].get(key) for key in ("name", "arguments"))
            + tuple(blocks[result].get(key) for key in ("status", "content"))
            for call, result in sorted(results.items())
        ]
        self._steps = self._steps + 1 if step and step == self._step else 1
        self._step = step

    @property
    def notice(self) -> str | None:
        """Notice that a call was repeated too often; None while the turn may continue."""
        if self._failed is not None and self._failures >= REPEATED_CALLS:
            return (
                f"The model made the same failing call of {_shown(self._failed[0])} {REPEATED_CALLS} "
                f"times in a row, so the turn has ended. {HOW_TO_CONTINUE}"
            )
        if self._step and self._steps >= REPEATED_CALLS:
            return (
                f"The model made the same {self._step_words()} {REPEATED_CALLS} times in a row and "
                f"got the same result each time, so the turn has ended. {HOW_TO_CONTINUE}"
            )
        return None

    def _step_words(self) -> str:
        names = [_shown(name) for name, *_ in self._step]
        calls = "call" if len(names) == 1 else f"{len(names)} calls"
        return f"{calls} of {join_first(list(dict.fromkeys(names)), _NAMED)}"


def _shown(name: Any) -> str:
    return one_line(repr(name), _NAME_LENGTH)
