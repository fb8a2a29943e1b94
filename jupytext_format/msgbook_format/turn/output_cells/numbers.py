"""Durations and counts as values of attributes, such as `0.5s` and `12`."""

from __future__ import annotations

import math
import re
from typing import Any

from msgbook_format import jsontext

_SECONDS = re.compile(r"(?:0|[1-9][0-9]{0,8})\.[0-9]{1,9}s")

_COUNT = re.compile(r"0|[1-9][0-9]{0,14}")
_COUNTS_END = 10**15
"""No count is that large; Python reads integers of any length, the page does not."""


def write_seconds(value: Any) -> str | None:
    """Return a number of seconds as the value of an attribute; None if it is no finite number."""
    if type(value) is int or (isinstance(value, float) and math.isfinite(value)):
        return f"{jsontext.dumps(value)}s"
    return None


def read_seconds(text: str) -> Any:
    """Return the number of seconds in the value of an attribute; None if it is no number."""
    if _SECONDS.fullmatch(text):
        return float(text[:-1])
    try:
        value = jsontext.loads(text.removesuffix("s"))
    except ValueError:
        return None
    return value if write_seconds(value) else None


def write_count(value: Any) -> str | None:
    """Return a count as the value of an attribute; None if it is no integer of up to 15 digits."""
    return str(value) if type(value) is int and 0 <= value < _COUNTS_END else None


def read_count(text: str) -> int | None:
    """Return the count in the value of an attribute; None if it is spelled in any other way."""
    return int(text) if _COUNT.fullmatch(text) else None
