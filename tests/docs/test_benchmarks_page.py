"""docs/benchmarks.md: what `make bench` has measured, as `benchmarks/run.py` writes it."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BENCHMARKS = ROOT / "benchmarks"
HELPERS = [
    "asked_over",
    "markdown_answer",
    "notebooks",
    "paced_server",
    "rows",
    "run",
    "said_words",
    "streamed",
    "traced_page",
]
"""Modules that benchmarks import."""


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch):
    """The names of the script that runs the benchmarks."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return runpy.run_path(str(BENCHMARKS / "run.py"))


def test_the_page_is_what_the_measurements_say(run):
    page = (ROOT / "docs" / "benchmarks.md").read_text("utf-8")

    assert page == run["page"](run["read_measured"]())


def test_every_benchmark_is_run_and_adds_rows(run):
    scripts = {path.stem for path in BENCHMARKS.glob("*.py")} - set(HELPERS)

    assert set(run["NAMES"]) == scripts
    assert [name for name in scripts if "row(" not in (BENCHMARKS / f"{name}.py").read_text()] == []


def test_a_number_that_misses_its_goal_is_bold(run):
    row = run["Row"]

    assert run["cells"](row("start", 1.2, "x", 1.1)) == "start | **1.2 x** | 1.1 x"
    assert run["cells"](row("start", 1.1, "x", 1.1)) == "start | 1.1 x | 1.1 x"
    assert run["cells"](row("speed", 9.0, "x", 10, at_least=True)) == "speed | **9 x** | ≥ 10 x"
    assert run["cells"](row("steps", 7, "")) == "steps | 7 | "


def test_what_has_not_run_keeps_its_numbers_or_is_named(run):
    rows = [run["Row"]("start", 1.0, "x")._asdict()]
    measured = {"prefix": {"date": "2026-01-02", "machine": "a machine", "rows": rows}}

    page = run["page"](measured)

    assert "| prefix | start | 1 x |  | 2026-01-02: a machine |" in page
    assert "Not yet run with this command: `kernel_start`" in page


def test_an_unknown_name_is_told_with_those_that_there_are(run, capsys):
    assert run["main"](["prefx"]) == 2
    assert "no benchmark prefx; there are: kernel_start" in capsys.readouterr().err
