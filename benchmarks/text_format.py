"""How fast message files are written and read, and in how much memory.

Baselines, in the same run: Jupytext's own `md` format, and `nbformat.reads` of the same notebook.
Times are processor seconds; each figure is the median of rounds in which both were measured.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import jupytext
import nbformat
from notebooks import chat, ordinary
from rows import row

from msgbook_format import reads, writes

KINDS = {"ordinary": ordinary, "chat": chat}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--small", type=int, default=1_000, help="where growth is measured from")
    parser.add_argument("--large", type=int, default=100_000, help="where growth is measured to")
    options = parser.parse_args()
    print(f"{options.cells} cells, {options.rounds} rounds")
    compare_with_markdown(options.cells)
    for name in KINDS:
        compare_with_json(name, options.cells, options.rounds)
    for name in KINDS:
        compare_memory(name, options.cells)
    for name in KINDS:
        compare_growth(name, options.small, options.large)


def compare_with_markdown(cells: int) -> None:
    nb = ordinary(cells)
    markdown, text = jupytext.writes(nb, "md"), writes(nb)
    pairs = [
        ("writing", lambda: jupytext.writes(nb, "md"), lambda: writes(nb)),
        ("reading", lambda: jupytext.reads(markdown, "md"), lambda: reads(text)),
    ]
    for name, theirs, ours in pairs:
        base, mine = measure(theirs, ours, rounds=1)
        row(f"{name}, as fast as Jupytext's md", base / mine, "x", 10, at_least=True)
        print(
            f"{name}: jupytext md {base:.2f} s, msgbook {mine:.2f} s: {base / mine:.1f} x as fast"
        )


def compare_with_json(name: str, cells: int, rounds: int) -> None:
    nb = KINDS[name](cells)
    json, text = nbformat.writes(nb), writes(nb)
    del nb
    base, mine = measure(lambda: nbformat.reads(json, 4), lambda: reads(text), rounds)
    row(f"reading {name}", mine / base, "x", 1.2)
    print(
        f"reading {name}: nbformat.reads {base:.2f} s, msgbook {mine:.2f} s: {mine / base:.2f} x "
        f"({len(json) >> 20} MiB of JSON, {len(text) >> 20} MiB of text)"
    )


def compare_memory(name: str, cells: int) -> None:
    nb = KINDS[name](cells)
    json, text = nbformat.writes(nb), writes(nb)
    base = peak(lambda: nbformat.reads(json, 4))
    reading, writing = peak(lambda: reads(text)), peak(lambda: writes(nb))
    row(f"reading {name}: peak memory", reading / base, "x", 3)
    print(
        f"peak memory {name}: nbformat.reads {base >> 20} MiB, msgbook reading "
        f"{reading >> 20} MiB: {reading / base:.2f} x, writing {writing >> 20} MiB: "
        f"{writing / base:.2f} x"
    )


def compare_growth(name: str, small: int, large: int) -> None:
    growth = []
    per_cell: dict[int, tuple[float, float]] = {}
    for cells in (small, large):
        nb = KINDS[name](cells)
        json, text = nbformat.writes(nb), writes(nb)
        del nb
        rounds = 3 if cells == large else 15
        base, mine = measure(lambda j=json: nbformat.reads(j, 4), lambda t=text: reads(t), rounds)
        per_cell[cells] = (base / cells, mine / cells)
    growth = [per_cell[large][index] / per_cell[small][index] for index in (0, 1)]
    print(
        f"growth of time per cell {name}, {small} to {large} cells: nbformat.reads "
        f"{growth[0]:.2f} x, msgbook {growth[1]:.2f} x: {growth[1] / growth[0]:.2f} as much"
    )


def measure(theirs: Callable[[], Any], ours: Callable[[], Any], rounds: int) -> tuple[float, float]:
    """Median processor seconds of both, taken in turn."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for function, taken in zip((theirs, ours), times, strict=True):
            gc.collect()
            start = time.process_time()
            result = function()
            taken.append(time.process_time() - start)
            del result
    return statistics.median(times[0]), statistics.median(times[1])


def peak(function: Callable[[], Any]) -> int:
    """Bytes that Python allocates at most during a call, the result included."""
    gc.collect()
    tracemalloc.start()
    try:
        result = function()
        del result
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


if __name__ == "__main__":
    main()
