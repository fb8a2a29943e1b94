"""The values of `history` (seed 004): what a request contains of a cell, a block or an output."""

from __future__ import annotations

from typing import Any

_INCLUDED = frozenset(("include", "1", "true"))
_SUMMARY = "summary"
HISTORY_VALUES = frozenset((*_INCLUDED, "exclude", "none", "0", "false", _SUMMARY))
"""All spellings."""


def is_excluded(history: Any) -> bool:
    """Return whether a `history` value keeps something out of requests.

    An unknown value does, too: it may be a misspelled `exclude`, and what was sent cannot be taken
    back.
    """
    text = _normal(history)
    return text != _SUMMARY and text not in _INCLUDED


def is_summary(history: Any) -> bool:
    """Return whether a `history` value asks for a summary."""
    return _normal(history) == _SUMMARY


def is_restricted(history: Any) -> bool:
    """Return whether a `history` value keeps anything out of requests: all of it, or all but a summary."""
    return _normal(history) not in _INCLUDED


def is_history(history: Any) -> bool:
    """Return whether a `history` value is a known one."""
    return _normal(history) in HISTORY_VALUES


def stricter_history(first: Any, second: Any) -> Any:
    """Return the value of two that lets less through; the first one if both let through the same."""
    return second if _strictness(second) > _strictness(first) else first


def _strictness(history: Any) -> int:
    return 2 if is_excluded(history) else int(is_restricted(history))


def _normal(history: Any) -> str:
    return history.strip().lower() if isinstance(history, str) else str(history).lower()
