"""Time that grows with the length of a text, and no faster."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

SHORT, TIMES = 8_000, 8
"""Characters, and how many times as many are tried as well: linear work is 8 times as much, and
quadratic 64 times."""

ROUNDS = 5
"""A busy machine makes some measurements larger, so all have to show too much. None becomes smaller."""


def require_linear(
    function: Callable[[str], object], start: str, piece: str, end: str = ""
) -> None:
    """Fail if a text with many more repetitions of a piece takes `function` far more time."""
    body = piece * (SHORT // len(piece))
    short, long = start + body + end, start + body * TIMES + end
    few, many = [_cost(function, short) for _ in range(3)], [_cost(function, long)]
    while not _is_linear(min(few), min(many)):
        assert len(many) < ROUNDS, (start, piece, end, few, many)
        few.append(_cost(function, short))
        many.append(_cost(function, long))


def _is_linear(few: float, many: float) -> bool:
    # What takes no time worth measuring is fast enough.
    return many < 0.05 or many < 4 * TIMES * max(few, 0.001)


def _cost(function: Callable[[str], object], text: str) -> float:
    """CPU seconds. The objects of all other tests are not searched for garbage meanwhile."""
    gc.disable()
    try:
        began = time.process_time()
        function(text)
        return time.process_time() - began
    finally:
        gc.enable()
