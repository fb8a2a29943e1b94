"""Durations as values of attributes, such as `0.5s`."""

from __future__ import annotations

import math
import re
from typing import Any

from msgbook_format import jsontext

_SECONDS = re.compile(r"(?:0|[1-9][0-9]{0,8})\.[0-9]{1,9}s")


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
