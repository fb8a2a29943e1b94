"""How long a msgbook kernel takes until it answers, against the stock `python3` kernel.

Goal: a ratio of at most 1.15. Both kernels start in turn, so that a machine that slows down slows
both; the ratio is that of the medians.

Usage: python benchmarks/kernel_start.py [RUNS]
"""

from __future__ import annotations

import statistics
import sys
import time

from jupyter_client.manager import KernelManager
from rows import row

KERNELS = ("python3", "msgbook")


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
    for name in KERNELS:
        seconds_to_start(name)
    taken: dict[str, list[float]] = {name: [] for name in KERNELS}
    for _ in range(runs):
        for name in KERNELS:
            taken[name].append(seconds_to_start(name))
    medians = {name: statistics.median(times) for name, times in taken.items()}
    for name, times in taken.items():
        print(f"{name:8} median {medians[name]:.3f} s  min {min(times):.3f}  max {max(times):.3f}")
    print(f"kernel start: {medians['msgbook'] / medians['python3']:.2f} x stock (goal: 1.15)")
    row("start of the kernel", medians["msgbook"] / medians["python3"], "x", 1.15)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 9)
