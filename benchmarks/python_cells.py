"""What a Python cell costs in Python + Chat, and what memory the kernel takes before the first message.

Goals, against the stock `python3` kernel: 1.05 x the time of a `pass` cell (medians of 1,000), 1.3 x the memory. Both
kernels run cells in turn, a hundred each, as JupyterLab sends them.

Usage: PYTHONPATH=tests/support python benchmarks/python_cells.py [CELLS]
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time

import psutil
from kernel_client import KernelClient
from rows import row

STOCK, OURS = "python3", "msgbook-python"
BLOCK = 100


def seconds(kernel: KernelClient, cell_id: str) -> float:
    """From the request of a `pass` cell to its reply and `idle`."""
    began = time.perf_counter()
    kernel.run("pass", cell_id)
    return time.perf_counter() - began


def main(cells: int) -> None:
    taken: dict[str, list[float]] = {STOCK: [], OURS: []}
    with (
        tempfile.TemporaryDirectory() as folder,
        KernelClient({}, folder, name=STOCK) as stock,
        KernelClient({"MSGBOOK_MODEL": "demo"}, folder, name=OURS) as ours,
    ):
        kernels = {STOCK: stock, OURS: ours}
        for kernel in kernels.values():
            for n in range(20):
                seconds(kernel, f"warm-{n}")
        memory = {
            name: psutil.Process(kernel.manager.provisioner.pid).memory_info().rss / 1e6
            for name, kernel in kernels.items()
        }
        for block in range(cells // BLOCK):
            for name, kernel in kernels.items():
                taken[name] += [seconds(kernel, f"{block}-{n}") for n in range(BLOCK)]
    medians = {name: statistics.median(times) for name, times in taken.items()}
    for name, median in medians.items():
        print(f"{name:14} {1000 * median:.2f} ms a cell, {memory[name]:.1f} MB")
    row("`pass` cell of Python + Chat", medians[OURS] / medians[STOCK], "x", 1.05)
    row("memory of Python + Chat before a message", memory[OURS] / memory[STOCK], "x", 1.3)
    print(
        f"a cell {medians[OURS] / medians[STOCK]:.2f} x (goal: 1.05), memory "
        f"{memory[OURS] / memory[STOCK]:.2f} x (goal: 1.3)"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
