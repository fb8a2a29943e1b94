"""A reader without the extension sees the same formulas, tables, lists and code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from answer_corpus import read_answers
from renderers import Lab
from stock_page import StockPage

from msgbook_format.turn import safe_markdown

if TYPE_CHECKING:
    from collections.abc import Iterator

COUNTED = (
    "$",
    "$$",
    "table",
    "tr",
    "pre",
    "code",
    "br",
    "sub",
    "kbd",
    "details",
    "blockquote",
    "h2",
)
CROSSED = "**<sub>x** y</sub>"
"""Tags that cross each other: HTML has them, the dialect has not."""


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    if not Lab.available():
        pytest.skip("Node.js and the packages of JupyterLab are not installed")
    renderer = Lab()
    yield renderer
    renderer.close()


@pytest.mark.parametrize("answer", read_answers(), ids=lambda answer: repr(answer["text"][:40]))
def test_what_the_page_shows_is_shown_without_it(answer: dict[str, Any], lab: Lab) -> None:
    text, outline = answer["text"], answer["outline"]
    shown = StockPage(lab(safe_markdown(text))).counts
    counted = [mark for mark in COUNTED if not (mark == "sub" and CROSSED in text)]
    assert {mark: shown.get(mark, 0) for mark in counted} == {
        mark: outline.count(f"<{mark}>") for mark in counted
    }
