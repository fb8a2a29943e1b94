"""Run the benchmarks, print one table and write `docs/benchmarks.md`.

`python benchmarks/run.py [NAME...]`. What is not run keeps the numbers of its last run, with its date: they stand in
`benchmarks/measured.json`.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rows import FILE, Row

HERE = Path(__file__).parent
MEASURED = HERE / "measured.json"
PAGE = HERE.parent / "docs" / "benchmarks.md"

NAMES = [
    "kernel_start",
    "python_cells",
    "python_start",
    "interrupt",
    "stream_decode",
    "long_answer",
    "memory",
    "mcp_servers",
    "mcp_start",
    "history",
    "first_request",
    "notebook_reference",
    "pull",
    "prefix",
    "prompt_cache",
    "text_format",
    "growth",
    "export",
    "subagents",
    "recording",
    "page_stream",
    "page_open",
    "long_chat",
]
"""The benchmarks, in the order in which they run."""
ARGUMENTS = {"long_answer": ["--paced"]}

HEAD = """# Benchmarks

`make bench` runs all of them and writes this page; `make bench ONLY="prefix history"` runs those. Each is compared with its
baseline in the same run, by turns. The unit `x` is a multiple of that baseline. `benchmarks/README.md` says what each one asks,
what its baseline is, and what earlier runs on busy machines have found.
"""


def main(names: list[str]) -> int:
    """Run the benchmarks of these names, else all; return the exit code."""
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        print(f"no benchmark {', '.join(unknown)}; there are: {', '.join(NAMES)}", file=sys.stderr)
        return 2
    failed = []
    for name in names or NAMES:
        print(f"== {name}", flush=True)
        measured = read_measured()
        if (rows := run(name)) is None:
            failed.append(name)
            continue
        measured[name] = {**circumstances(), "rows": [row._asdict() for row in rows]}
        write(MEASURED, json.dumps(measured, indent=1) + "\n")
        write(PAGE, page(measured))
    print(table(read_measured(), names or NAMES))
    for name in failed:
        print(f"{name} failed: its numbers are those of its last run", file=sys.stderr)
    return 1 if failed else 0


def run(name: str) -> list[Row] | None:
    """Run one benchmark, and return its rows; None if it failed."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "rows.jsonl")
        support = str(HERE.parent / "tests" / "support")
        environment = {**os.environ, FILE: str(file), "PYTHONPATH": support}
        command = [sys.executable, str(HERE / f"{name}.py"), *ARGUMENTS.get(name, [])]
        if subprocess.run(command, env=environment, check=False).returncode or not file.exists():
            return None
        return [Row(**json.loads(line)) for line in file.read_text("utf-8").splitlines()]


def circumstances() -> dict[str, str]:
    """Return when and on what machine a benchmark has run."""
    cores = os.cpu_count() or 1
    load = f"load {os.getloadavg()[1]:.1f}" if hasattr(os, "getloadavg") else "load unknown"
    words = (f"{cores} cores", platform.system(), platform.machine(), load)
    return {
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "machine": f"{', '.join(words)}, Python {platform.python_version()}",
    }


def read_measured() -> dict[str, Any]:
    """Return what was measured, by benchmark."""
    if not MEASURED.exists():
        return {}
    measured: dict[str, Any] = json.loads(MEASURED.read_text("utf-8"))
    return measured


def write(path: Path, text: str) -> None:
    """Write a file in one step."""
    beside = path.with_name(f".{path.name}.new")
    beside.write_text(text, "utf-8")
    beside.replace(path)


def page(measured: dict[str, Any]) -> str:
    """Return the page of the documentation."""
    missing = [f"`{name}`" for name in NAMES if name not in measured]
    end = f"\nNot yet run with this command: {', '.join(missing)}.\n" if missing else ""
    return f"{HEAD}\n{table(measured, NAMES)}\n{end}"


def table(measured: dict[str, Any], names: list[str]) -> str:
    """Return one table in Markdown of what was measured."""
    lines = ["| benchmark | | measured | goal | date, machine |", "| --- | --- | --- | --- | --- |"]
    for name in names:
        run = measured.get(name, {"rows": []})
        for number, values in enumerate(run["rows"]):
            first = number == 0
            where = f"{run['date']}: {run['machine']}" if first else ""
            lines.append(f"| {name if first else ''} | {cells(Row(**values))} | {where} |")
    return "\n".join(lines)


def cells(row: Row) -> str:
    """Return what was measured, bold if it missed its goal."""
    shown = f"{row.measured:g} {row.unit}".strip()
    goal = "" if row.goal is None else f"{'≥ ' if row.at_least else ''}{row.goal:g} {row.unit}"
    return f"{row.what} | {f'**{shown}**' if row.is_met is False else shown} | {goal.strip()}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
