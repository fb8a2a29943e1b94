"""What a reference to a notebook costs: from the file to the text by cells.

Two notebooks of 10 MB, one full of figures, one full of cells. Goal: 0.3 s each.

Usage: python benchmarks/notebook_reference.py [ROUNDS]
"""

from __future__ import annotations

import asyncio
import base64
import json
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from notebooks import CODE, prose
from rows import row

from msgbook.approval import Roots
from msgbook.request.context.files import FileSources

SIZE = 10_000_000


def main(rounds: int) -> None:
    rng = random.Random(1)
    picture = base64.b64encode(rng.randbytes(150_000)).decode()
    figure = cell("plot()", {"output_type": "display_data", "data": {"image/png": picture}})
    text = cell(CODE, {"output_type": "stream", "name": "stdout", "text": prose(rng, 900)})
    with tempfile.TemporaryDirectory() as folder:
        for name, one in (("figures", figure), ("cells", text)):
            cells = [one] * (SIZE // len(json.dumps(one)))
            whole = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}
            Path(folder, f"{name}.ipynb").write_text(json.dumps(whole), "utf-8")
            took = statistics.median(asyncio.run(read(Path(folder), f"{name}.ipynb", rounds)))
            print(f"10 MB of {name}, {len(cells):,} cells: {took:.2f} s (goal: 0.3 s)")
            row(f"a reference to a notebook of 10 MB of {name}", took, "s", 0.3)


def cell(source: str, output: dict[str, Any]) -> dict[str, Any]:
    return {"cell_type": "code", "source": source, "execution_count": 1, "outputs": [output]}


async def read(folder: Path, name: str, rounds: int) -> list[float]:
    """Seconds of each reference, in a loop that runs on, as the kernel's does."""
    sources = FileSources(Roots(folder))
    took = []
    for _ in range(rounds):
        start = time.perf_counter()
        await sources.read(name, None, nested=False)
        took.append(time.perf_counter() - start)
    return took


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 9)
