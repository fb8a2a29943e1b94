"""docs/decisions.md: numbered records, which its table lists."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = (Path(__file__).parents[2] / "docs" / "decisions.md").read_text("utf-8")
ROWS = re.findall(r"^\| \[(\d+)\]\(#(.+)\) \| (.+?) \| (.+?) \| (.+) \|$", PAGE, re.MULTILINE)
RECORDS = re.findall(r"^## (\d+)\. (.+)\n\n\*(.+?), (.+)\*\n\n(?=\S)", PAGE, re.MULTILINE)


def test_records_are_numbered_from_1_and_dated_in_their_order() -> None:
    dates = [date for _, _, date, _ in RECORDS]

    assert len(RECORDS) == PAGE.count("\n## ") > 130
    assert [int(number) for number, *_ in RECORDS] == [*range(1, len(RECORDS) + 1)]
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d", date) for date in dates)
    assert dates == sorted(dates)


def test_the_table_has_a_row_for_each_record() -> None:
    listed = [(number, title, date, status) for number, _, date, status, title in ROWS]

    assert listed == RECORDS


def test_each_row_links_to_its_record() -> None:
    assert [anchor for _, anchor, *_ in ROWS] == [
        anchor_of(f"{number}. {title}") for number, title, *_ in RECORDS
    ]


def test_a_record_is_accepted_or_replaced_by_a_later_one() -> None:
    for number, _, _, status in RECORDS:
        replaced = re.fullmatch(r"accepted|replaced by (\d+)", status)

        assert replaced, f"record {number}: {status}"
        assert replaced[1] is None or int(number) < int(replaced[1]) <= len(RECORDS)


def anchor_of(heading: str) -> str:
    """Return the anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
