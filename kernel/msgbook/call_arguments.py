"""The arguments of a call, as all readers of JSON understand them."""

from __future__ import annotations

import json
from typing import Any


def parse_arguments(text: str) -> dict[str, Any]:
    """One object in which no key stands twice.

    Of equal keys one reader takes the first and another the last, so that a person could allow
    something else than what is done.

    Args:
        text: JSON, as the model sent it; empty means no arguments.

    Raises:
        ValueError: It is something else; the message says what.
    """
    try:
        value = json.loads(text or "{}", object_pairs_hook=_unique)
    except RecursionError:
        raise ValueError("they are nested too deeply") from None
    if not isinstance(value, dict):
        raise ValueError("expected a JSON object")  # noqa: TRY004 - not a fault of the caller's
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice in an object")
    return found
