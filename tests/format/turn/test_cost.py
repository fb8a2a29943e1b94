"""What a turn gives to other renderers never stops them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from renderers import Page, commonmark

from msgbook_format.turn import safe_markdown, to_markdown
from msgbook_format.turn.markdown.escape import takes_too_long

TEXTS: dict[str, Any] = json.loads(
    (Path(__file__).parent / "fixtures" / "markdown_cost.json").read_text()
)
"""The page's tests read them as well."""


@pytest.mark.parametrize(("before", "piece", "times", "after"), [row[1:] for row in TEXTS["stops"]])
def test_markdown_that_would_block_a_renderer_is_recognised(
    before: str, piece: str, times: int, after: str
) -> None:
    assert takes_too_long(before + piece * times + after)


@pytest.mark.parametrize(("before", "piece", "times", "after"), [row[1:] for row in TEXTS["fine"]])
def test_markdown_that_people_write_is_not(before: str, piece: str, times: int, after: str) -> None:
    assert not takes_too_long(before + piece * times + after)


@pytest.mark.parametrize("token", TEXTS["tokens"])
def test_no_token_makes_markdown_that_stops_a_renderer(token: str) -> None:
    text = token * (80_000 // len(token))
    blocks = [
        {"type": "reasoning", "text": text},
        {"type": "text", "text": text},
        {"type": "tool_call", "id": "1", "name": text, "arguments": text},
        {"type": "tool_result", "id": "1", "content": [{"type": "text", "text": text}]},
        {"type": "notice", "text": text},
    ]
    for block in blocks:
        turn: Any = {"version": 1, "status": "done", "model": "m", "blocks": [block]}
        assert not takes_too_long(to_markdown(turn))


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(TEXTS["tokens"]), st.integers(1, 9000)), max_size=4).map(
        lambda runs: "".join(token * times for token, times in runs)
    )
)
def test_no_safe_markdown_stops_a_renderer(text: str) -> None:
    assert not takes_too_long(safe_markdown(text))


def test_a_text_that_would_stop_a_renderer_is_a_block_of_code_with_all_of_it() -> None:
    text = "Before.\n\n" + "**a " * 20_000 + "\n\nAfter."
    assert Page(commonmark(safe_markdown(text))).code == [text]


def test_code_that_would_stop_a_renderer_is_html_with_all_of_it() -> None:
    code = "x`" * 40_000
    page = Page(commonmark(safe_markdown(f"Before.\n\n```\n{code}\n```\n\nAfter.")))
    assert page.code == [code]
    assert page.text == f"Before. {code} After."
