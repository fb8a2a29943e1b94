"""docs/benchmarks.md: what `make bench` has measured, as `benchmarks/run.py` writes it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
BENCHMARKS = ROOT / "benchmarks"


def test_a_benchmark_adds_a_row_only_where_the_runner_asks_for_it(tmp_path):
    code = "from rows import row; row('start', 1 / 3, 'x', 1.1)"
    asked = {**os.environ, "MSGBOOK_BENCH_ROWS": str(tmp_path / "rows.jsonl")}
    for environment in (asked, dict(os.environ)):
        subprocess.run([sys.executable, "-c", code], cwd=BENCHMARKS, env=environment, check=True)

    added = (tmp_path / "rows.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line)["measured"] for line in added] == [0.3333]
