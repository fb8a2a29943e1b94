"""The Markdown of a turn that is not done: a flood may have made it, and an interrupt waits for it."""

from __future__ import annotations

import pytest

from msgbook_format.turn.markdown.render import UNENDED_LIMIT, to_markdown

KINDS = {"text": "text", "reasoning": "text", "tool_call": "arguments"}


def _turn(status, *blocks):
    return {"version": 1, "status": status, "blocks": list(blocks)}


def _block(kind, text, step=1):
    return {"type": kind, "step": step, "id": "c", "name": "f", KINDS[kind]: text}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("status", ["running", "interrupted", "incomplete", "error"])
def test_only_the_beginning_of_a_very_long_last_answer_is_shown(kind, status):
    text = "word " * UNENDED_LIMIT

    markdown = to_markdown(_turn(status, _block(kind, text)))

    assert UNENDED_LIMIT < len(markdown) < UNENDED_LIMIT + 1000
    assert f"{4 * UNENDED_LIMIT:,} more characters" in markdown


def test_the_limit_holds_for_all_blocks_of_that_answer_together():
    blocks = [_block("text", "word " * 1000) for _ in range(1000)]

    markdown = to_markdown(_turn("interrupted", *blocks))

    assert markdown.count("word") == UNENDED_LIMIT // 5
    assert markdown.count("(… 5,000 more characters)") == 1000 - UNENDED_LIMIT // 5000


def test_answers_before_it_and_turns_that_are_done_are_shown_whole():
    long = "word " * UNENDED_LIMIT
    whole = len(to_markdown(_turn("done", _block("text", long))))

    assert whole >= len(long) - 1
    early = _turn("interrupted", _block("text", long), _block("text", "on", step=2))
    assert len(to_markdown(early)) > whole


@pytest.mark.parametrize("size", [0, 1, UNENDED_LIMIT - 1, UNENDED_LIMIT])
def test_what_fits_is_not_cut(size):
    assert "more characters" not in to_markdown(_turn("interrupted", _block("text", "a" * size)))
