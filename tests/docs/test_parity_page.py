"""docs/parity.md: the tests and decisions that it names exist."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "parity.md").read_text("utf-8")
DECISIONS = (ROOT / "docs" / "decisions.md").read_text("utf-8")

TESTS = sorted(set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE)))
HEADS = ("| the document asks for |", "| --- |")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.splitlines()
    if line.startswith("| ") and line.count("|") == 4 and not line.startswith(HEADS)
]


@cache
def named_in(path: str) -> set[str]:
    source = ROOT / path
    text = source.read_text("utf-8") if source.is_file() else ""
    return set(re.findall(r"^\s*(?:async )?def (test_\w+)\(", text, re.MULTILINE))


@pytest.mark.parametrize(("path", "name"), TESTS)
def test_every_test_that_it_names_exists(path: str, name: str) -> None:
    assert name in named_in(path)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0][:50])
def test_every_row_says_how_it_is_here_and_what_shows_it(row: list[str]) -> None:
    _, here, shown = row

    assert re.match(r"(same(?=$|[,;:( ])|different: .|not built: .)", here)
    assert here.startswith("not built") or "tests/" in shown


def test_every_decision_that_it_links_exists() -> None:
    linked = re.findall(r"\[decision (\d+)\]\(decisions\.md#(.+?)\)", PAGE)

    assert linked
    assert [row for row in linked if f"| [{row[0]}](#{row[1]}) |" not in DECISIONS] == []


def test_everything_that_looks_like_a_test_was_checked() -> None:
    assert len(TESTS) > 50
    assert PAGE.count("tests/") == len(re.findall(r"`tests/[\w/]+\.py::\w+`", PAGE))
