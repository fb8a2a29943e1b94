"""How long msgbook's kernels take until they answer, against the stock `python3` kernel.

Goals: a ratio of at most 1.15, and 1.1 for Python + Chat. The kernels start in turn, so that a machine that slows
down slows all; the ratios are those of the medians.

Usage: python benchmarks/kernel_start.py [RUNS]
"""

from __future__ import annotations

import statistics
import sys
import time

from jupyter_client.manager import KernelManager
from rows import row

STOCK = "python3"
GOALS = {
    "msgbook": ("start of the kernel", 1.15),
    "msgbook-python": ("start of Python + Chat", 1.1),
}


def seconds_to_start(name: str) -> float:
    """From the start of the process to the answer to `kernel_info_request`."""
    manager = KernelManager(kernel_name=name)
    began = time.perf_counter()
    manager.start_kernel()
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=60)
        return time.perf_counter() - began
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def main(runs: int) -> None:
    taken: dict[str, list[float]] = {name: [] for name in (STOCK, *GOALS)}
    for name in taken:
        seconds_to_start(name)
    for _ in range(runs):
        for name, times in taken.items():
            times.append(seconds_to_start(name))
    medians = {name: statistics.median(times) for name, times in taken.items()}
    for name, times in taken.items():
        print(f"{name:14} median {medians[name]:.3f} s  min {min(times):.3f}  max {max(times):.3f}")
    for name, (what, goal) in GOALS.items():
        ratio = medians[name] / medians[STOCK]
        print(f"{what}: {ratio:.2f} x stock (goal: {goal})")
        row(what, ratio, "x", goal)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 9)
