"""The sources of a text, as a reader is shown them, on the page and in Markdown alike."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from cited_turn import cited

from msgbook_format.turn import shown_sources, to_markdown, to_plain
from msgbook_format.turn.wording import SOURCES_LIMIT, TITLE_LIMIT

if TYPE_CHECKING:
    pass

FIXTURE = Path(__file__).with_name("fixtures") / "sources.json"
CASES: list[dict[str, Any]] = json.loads(FIXTURE.read_text())


def page(number: int) -> dict[str, str]:
    return {"url": f"https://a.example/{number}", "title": f"Page {number}"}


@pytest.mark.parametrize("case", CASES, ids=[case["title"] for case in CASES])
def test_sources_are_those_that_the_page_shows(case: dict[str, Any]) -> None:
    sources, further = shown_sources({"extra": {"annotations": case["annotations"]}})
    assert (list(map(asdict, sources)), further) == (case["sources"], case["further"])


@pytest.mark.parametrize("extra", [None, [], "x", {}, {"annotations": "x"}])
def test_a_block_without_a_list_of_citations_has_no_sources(extra: Any) -> None:
    assert shown_sources({"type": "text", "extra": extra}) == ([], 0)


def test_many_sources_are_counted_and_long_titles_are_cut() -> None:
    sources, further = shown_sources(cited(*map(page, range(5000)))["blocks"][0])
    assert (len(sources), further) == (SOURCES_LIMIT, 5000 - SOURCES_LIMIT)
    assert f"… and {5000 - SOURCES_LIMIT:,} more" in to_markdown(cited(*map(page, range(5000))))
    (source,), _ = shown_sources(cited({"title": "x" * 10**6})["blocks"][0])
    assert source.title == "x" * (TITLE_LIMIT - 1) + "…"


def test_markdown_lists_the_sources_as_links_below_the_text() -> None:
    file = {"type": "file_citation", "filename": "notes.pdf", "file_id": "file-1"}
    assert to_markdown(cited(page(1), file, page(1))) == (
        "Paris.\n\nSources:\n\n1. [Page 1](https://a.example/1)\n2. notes.pdf"
    )


def test_plain_text_names_the_sources_behind_the_text() -> None:
    assert to_plain(cited(page(1), {"filename": "notes.pdf"}, model="m")) == (
        "[done · m] Paris. Sources: 1. Page 1 https://a.example/1 2. notes.pdf"
    )
