"""How the time of functions grows with hostile texts: eight times the length in about eight times the time.

The baseline is the same function on the same text at an eighth of its length, in the same run. Processor seconds, the best
of some rounds: other programs make a measurement longer, and none shorter.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

from hostile_lengths import READERS
from rows import row

SHORT, TIMES = 8_000, 8
GOAL = 4 * TIMES
"""Quadratic work is 64 times as much; a garbage collection or a cold cache is not four times."""
TOO_SHORT = 0.05
"""Seconds that are not worth a ratio: what takes less for 64,000 characters is fast enough."""
ROUNDS = 5


def main() -> None:
    for reader in READERS:
        worst, piece = max(
            (growth(reader.run, text.of_length), text.piece) for text in reader.texts
        )
        row(f"{reader.name}: 8 times the text", worst, "x", GOAL)
        print(f"{reader.name}: {worst:.1f} x, with {piece[:20]!r}")


def growth(run: Callable[[str], object], text_of: Callable[[int], str]) -> float:
    """Return how many times as long the long text takes, 1 where it takes no time worth measuring."""
    short, long = text_of(SHORT), text_of(SHORT * TIMES)
    few, many = seconds(run, short), seconds(run, long)
    for _ in range(ROUNDS):
        if many < TOO_SHORT:
            return 1.0
        if many < GOAL * few:
            break
        few, many = min(few, seconds(run, short)), min(many, seconds(run, long))
    return many / max(few, 0.001)


def seconds(run: Callable[[str], object], text: str) -> float:
    """Return the processor seconds of one run, without garbage collection."""
    gc.disable()
    try:
        began = time.process_time()
        run(text)
        return time.process_time() - began
    finally:
        gc.enable()


if __name__ == "__main__":
    main()
