"""docs/parity.md: its numbers are right, and the tests, cases and decisions that it names exist."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "parity.md").read_text("utf-8")
DECISIONS = (ROOT / "docs" / "decisions.md").read_text("utf-8")
CASES = ROOT / "tests" / "format" / "conformance"

TESTS = sorted(set(re.findall(r"`((?:ui-)?tests/[\w/]+\.py)::(\w+)`", PAGE)))
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.splitlines()
    if re.match(r"\| \d+\.", line)
]
STATES = ("works", "differs", "waits")


@cache
def named_in(path: str) -> set[str]:
    source = ROOT / path
    text = source.read_text("utf-8") if source.is_file() else ""
    return set(re.findall(r"^\s*(?:async )?def (test_\w+)\(", text, re.MULTILINE))


def seed_of(row: list[str]) -> str:
    return row[0].partition(".")[0]


def state_of(row: list[str]) -> str:
    return re.split(r"[ :]", row[2], maxsplit=1)[0]


def test_every_test_that_it_names_exists() -> None:
    assert [test for test in TESTS if test[1] not in named_in(test[0])] == []


def test_every_row_says_how_it_is_here_and_what_shows_it() -> None:
    for number, sentence, here, shown in ROWS:
        assert sentence.endswith("."), number
        known = r"works(: .+| \(\[decision .+)?|differs: .+|waits(: .+)?"
        assert re.fullmatch(known, here), number
        assert shown or here.startswith("waits"), number


def test_the_rows_of_each_seed_are_numbered_from_1() -> None:
    for seed, count in Counter(map(seed_of, ROWS)).items():
        numbers = [row[0] for row in ROWS if seed_of(row) == seed]
        assert numbers == [f"{seed}.{number}" for number in range(1, count + 1)]


def test_no_sentence_is_there_twice() -> None:
    assert [text for text, count in Counter(row[1] for row in ROWS).items() if count > 1] == []


def test_the_table_of_counts_is_that_of_the_rows() -> None:
    listed = re.findall(
        r"^\| (\d{3}|all) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$", PAGE, re.MULTILINE
    )

    def counts(name: str, rows: list[list[str]]) -> tuple[str, ...]:
        states = Counter(map(state_of, rows))
        return name, str(len(rows)), *(str(states[state]) for state in STATES)

    seeds = sorted(set(map(seed_of, ROWS)))
    expected = [
        counts(f"00{seed}", [row for row in ROWS if seed_of(row) == seed]) for seed in seeds
    ]
    assert listed == [*expected, counts("all", ROWS)]


def test_every_case_that_it_names_is_in_the_conformance_suite() -> None:
    named = {
        number
        for row in ROWS
        for cases in re.findall(r"\bcases? (\d{3}(?:, \d{3})*)", row[3])
        for number in cases.split(", ")
    }

    assert len(named) > 20
    assert named == {number for number in named if list(CASES.glob(f"{number}-*.json"))}


def test_every_decision_that_it_links_exists() -> None:
    linked = set(re.findall(r"\[decision (\d+)\]\(decisions\.md#(.+?)\)", PAGE))
    titles = re.findall(r"^## ((\d+)\. .+)$", DECISIONS, re.MULTILINE)

    assert linked
    assert linked <= {(number, anchor_of(title)) for title, number in titles}


def anchor_of(heading: str) -> str:
    """Return the anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def test_everything_that_looks_like_a_test_was_checked() -> None:
    assert len(TESTS) > 50
    assert len(re.findall("`(?:ui-)?tests/", PAGE)) == len(
        re.findall(r"`(?:ui-)?tests/[\w/]+\.py::\w+`", PAGE)
    )
