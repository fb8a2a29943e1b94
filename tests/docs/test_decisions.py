"""docs/decisions.md: short records, whose numbers stay theirs."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

PAGE = (Path(__file__).parents[2] / "docs" / "decisions.md").read_text("utf-8")
RECORDS = re.findall(r"^## (\d+)\. .+\n\n(?=[^#\s])", PAGE, re.MULTILINE)
RETIRED = re.findall(r"\d+", PAGE.partition("\nRetired: ")[2].partition("\n\n")[0])
LAST_BEFORE_GAPS = 260
"""Later numbers are given to branches in ranges, and some are never used."""
MOST_WORDS = 9000


def test_each_record_has_a_number_a_title_and_a_text() -> None:
    assert len(RECORDS) == PAGE.count("\n## ") > 130


def test_no_number_is_used_again() -> None:
    assert {
        number: times for number, times in Counter(RECORDS + RETIRED).items() if times > 1
    } == {}


def test_a_number_that_has_no_record_any_more_is_said_to_be_retired() -> None:
    known = {int(number) for number in RECORDS + RETIRED}

    assert set(range(1, LAST_BEFORE_GAPS + 1)) <= known


def test_the_page_is_short_enough_to_be_read() -> None:
    assert len(PAGE.split()) <= MOST_WORDS
