"""Time that grows with the length of a text, and no faster."""

from __future__ import annotations

import time
from collections.abc import Callable

SHORT, TIMES = 8_000, 8
"""Characters, and how many times as many are tried as well: linear work is 8 times as much, and
quadratic 64 times."""


def require_linear(
    function: Callable[[str], object], start: str, piece: str, end: str = ""
) -> None:
    """Fail if a text with many more repetitions of a piece takes `function` far more time."""
    body = piece * (SHORT // len(piece))
    few, many = _cost(function, start + body + end), _cost(function, start + body * TIMES + end)
    # What takes no time worth measuring is fast enough.
    assert many < 0.05 or many < 4 * TIMES * max(few, 0.001), (start, piece, end, few, many)


def _cost(function: Callable[[str], object], text: str) -> float:
    """CPU seconds, the least of three tries: others take time on this machine, too."""
    tries = []
    for _ in range(3):
        began = time.process_time()
        function(text)
        tries.append(time.process_time() - began)
    return min(tries)
