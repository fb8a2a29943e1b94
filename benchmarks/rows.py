"""What a benchmark has found, as rows: for the table of `benchmarks/run.py`."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import NamedTuple

FILE = "MSGBOOK_BENCH_ROWS"
"""Environment variable: the file to which a benchmark adds its rows. Without it, none are written."""


class Row(NamedTuple):
    """One number of a benchmark, and its goal."""

    what: str
    measured: float
    unit: str
    """`x` stands for a multiple of the baseline that was measured in the same run."""
    goal: float | None = None
    at_least: bool = False
    """Whether more is better."""

    @property
    def is_met(self) -> bool | None:
        """Return whether the goal is met; None if there is none."""
        if self.goal is None:
            return None
        return self.measured >= self.goal if self.at_least else self.measured <= self.goal


def row(
    what: str, measured: float, unit: str, goal: float | None = None, *, at_least: bool = False
) -> None:
    """Add a row, as one line of JSON."""
    if not (file := os.environ.get(FILE)):
        return
    found = Row(what, float(f"{measured:.4g}"), unit, goal, at_least)
    with Path(file).open("a", encoding="utf-8") as rows:
        rows.write(json.dumps(found._asdict()) + "\n")
