"""The tokens of a turn, summed over its steps, and the model that answered. Pure."""

from __future__ import annotations

from typing import Any, cast

from msgbook.events import Notice
from msgbook.text import excerpt, visible
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

    def add(self, usage: Usage | None) -> None:
        """Add the tokens of a model call beside the steps."""
        for key, value in (usage or {}).items():
            self._sums[key] = self._sums.get(key, 0) + cast("int", value)
        self._unreported_steps += not usage

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


# The model that answered, where it is another than was asked for. Pure.
#
# Names come from a server and may be any text.


_LENGTH = 100
"""Characters of a model's name that are shown; a server may send any."""
_ENDINGS = (".gguf", ":latest")
"""Endings of a name that say nothing about the model."""


def put_answered_model(head: dict[str, Any], answered: str | None) -> None:
    """Set `answered_model` of a turn's head to the model of its last answer, if it is another one.

    Args:
        answered: As the server named it; None if it did not.
    """
    if not answered or not answered.strip():
        return
    head.pop("answered_model", None)
    if not is_same_name(str(head.get("model", "")), answered):
        head["answered_model"] = _shown(answered)


def is_same_name(one: str, other: str) -> bool:
    """Return whether two names differ at most in a folder in front, in case, or in `.gguf`.

    A date makes another name: what an alias such as `gpt-5` stands for changes.
    """
    first, second = _plain(one), _plain(other)
    return first == second or first.endswith(f"/{second}") or second.endswith(f"/{first}")


class ModelChanges:
    """Says where in a turn another model begins to answer."""

    def __init__(self) -> None:
        self._last: str | None = None

    def notices(self, answered: str | None) -> list[Notice]:
        """Return a notice if the model of a step is not that of the step before."""
        if not answered or not answered.strip():
            return []
        last, self._last = self._last, answered
        if last is None or is_same_name(last, answered):
            return []
        text = f"{_shown(answered)} answered this step; {_shown(last)} answered the previous one."
        return [Notice(text, "warning")]


def _plain(name: str) -> str:
    plain = name.strip().replace("\\", "/").casefold()
    for ending in _ENDINGS:
        plain = plain.removesuffix(ending)
    return plain


def _shown(name: str) -> str:
    return visible(excerpt(name, _LENGTH))
