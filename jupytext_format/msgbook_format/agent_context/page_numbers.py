"""Numbers as a page gives them back: it has floating-point numbers only, and writes 1.0 as 1."""

from __future__ import annotations

import math
from typing import Any


def as_page(value: Any) -> Any:
    """Return a JSON value as it comes back from a page; numbers that it cannot hold are null."""
    if isinstance(value, dict):
        return {key: as_page(item) for key, item in value.items()}
    if isinstance(value, list):
        return [as_page(item) for item in value]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _number(value)
    return value


def _number(value: float) -> float | None:
    try:
        number = float(value)
    except OverflowError:
        return None
    if not math.isfinite(number):
        return None
    return int(number) if number.is_integer() else number
