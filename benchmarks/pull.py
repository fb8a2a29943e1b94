"""What a page sends at the start of a turn, and what the kernel does with it: changed cells or all.

The notebook has 2,000 cells and 5 MB, one of which has changed since the last turn. Goals: a fiftieth
of the bytes, and a fifth of the processor time to decode them. The page's side is played in Python.

Usage: PYTHONPATH=tests/support python benchmarks/pull.py [ROUNDS]
"""

from __future__ import annotations

import json
import statistics
import sys
from functools import partial
from typing import Any

from history import notebook, timed
from page_cells import CellsReporter
from rows import row

from msgbook.kernel.page.page_comms import KnownCells


def pull(page: CellsReporter, known: KnownCells, cells: list[dict[str, Any]]) -> tuple[int, float]:
    """Bytes of an answer, and milliseconds of the kernel to make cells of it."""
    question = {"request_id": "r", "cell_id": cells[-1]["id"], "known": known.revision("comm")}
    answer = json.dumps(page.answer(question, cells), ensure_ascii=False).encode()
    return len(answer), timed(lambda: known.complete("comm", json.loads(answer)))


def main(rounds: int) -> None:
    cells = json.loads(notebook(1000))
    page, known = CellsReporter(), KnownCells()
    asked = partial(pull, page, known, cells)
    every, changed = [], []
    for number in range(rounds):
        known.forget("comm")
        every.append(asked())
        cells[-1]["source"] = f"What about {number}?"
        changed.append(asked())
    (all_bytes, all_ms), (bytes_, ms) = (
        map(statistics.median, zip(*answers, strict=True)) for answers in (every, changed)
    )
    print(
        f"{len(cells)} cells: all {all_bytes / 1e6:.1f} MB, {all_ms:.0f} ms; changed ones "
        f"{bytes_ / 1e6:.2f} MB, {ms:.1f} ms: {bytes_ / all_bytes:.3f} x the bytes (goal: 0.02 x), "
        f"{ms / all_ms:.2f} x the time (goal: 0.2 x)"
    )
    row("one cell changed: bytes of all cells", bytes_ / all_bytes, "x", 0.02)
    row("one cell changed: processor time", ms / all_ms, "x", 0.2)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 9)
