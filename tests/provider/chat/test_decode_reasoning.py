"""Reasoning under each of its names, and `<think>` in the content."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from completions import decode, delta, sse, tool, words
from hypothesis import given
from hypothesis import strategies as st

from msgbook.events import ReasoningDelta, ReasoningDetails, TextDelta, ToolCallDelta


@pytest.mark.parametrize(
    "fields",
    [
        {"reasoning_content": "think"},
        {"reasoning": "think"},
        {"reasoning_text": "think"},
        {"reasoning_details": [{"type": "reasoning.text", "text": "think"}]},
        {"reasoning": "think", "reasoning_details": [{"text": "think"}]},
        {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "think"}]}]},
    ],
    ids=lambda fields: "+".join(fields),
)
def test_reasoning_has_many_names_and_is_never_doubled(fields):
    assert words(decode(sse(delta(**fields))), ReasoningDelta) == "think"


def test_details_that_repeat_named_reasoning_later_are_not_read_twice():
    whole_again = delta(reasoning_details=[{"type": "reasoning.text", "text": "think"}])

    events = decode(sse(delta(reasoning="thi"), delta(reasoning="nk"), whole_again))

    assert words(events, ReasoningDelta) == "think"


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"reasoning_content": "a"}, "reasoning_content"),
        ({"reasoning": "a"}, "reasoning"),
        ({"reasoning_text": "a"}, "reasoning_text"),
        ({"reasoning_details": [{"text": "a"}]}, ""),
        ({"content": "<think>a"}, ""),
    ],
)
def test_reasoning_tells_the_name_under_which_it_may_go_back(fields, field):
    assert decode(sse(delta(**fields)))[0] == ReasoningDelta("a", field)


def test_details_of_reasoning_are_put_together_as_they_have_to_go_back():
    def piece(**fields: Any) -> dict[str, Any]:
        return delta(reasoning_details=[{"type": "reasoning.text", "index": 0, **fields}])

    sealed = {"type": "reasoning.encrypted", "index": 1, "data": "x"}
    chunks = [piece(text="a"), piece(text="b"), piece(signature="s")]

    events = decode(sse(*chunks, delta(reasoning_details=[sealed, sealed])))

    text = {"type": "reasoning.text", "index": 0, "text": "ab", "signature": "s"}
    assert ReasoningDetails([text, sealed, sealed]) in events


@st.composite
def cut_up(draw: Any, text: str) -> list[str]:
    cuts = [0, *sorted(draw(st.lists(st.integers(0, len(text)), max_size=6))), len(text)]
    return [text[a:b] for a, b in itertools.pairwise(cuts)]


@pytest.mark.parametrize(
    ("content", "reasoning", "text"),
    [
        ("<think>a < b</think>c", "a < b", "c"),
        (" \n<think>\na</think>\n\nb", "\na", "\n\nb"),
        ("<think>never closed </thin", "never closed </thin", ""),
        ("<think>\n\n</think>\n\na", "", "\n\na"),
        ("<think>a</think><think>b</think>", "a", "<think>b</think>"),
        ("a <think>b</think>", "", "a <think>b</think>"),
        ("</think>a", "", "</think>a"),
        ("<thin", "", "<thin"),
        ("<thinking>a", "", "<thinking>a"),
        (" \n ", "", " \n "),
    ],
)
@given(data=st.data())
def test_a_think_tag_before_all_text_makes_reasoning_however_it_is_cut(
    content, reasoning, text, data
):
    events = decode(sse(*(delta(content=piece) for piece in data.draw(cut_up(content)))))

    assert words(events, ReasoningDelta) == reasoning
    assert words(events, TextDelta) == text


def test_what_was_held_back_comes_before_what_follows_it():
    events = decode(sse(delta(content="<thi"), tool(0, "c", "f", "{}"), delta(content="nk>")))

    assert [type(event) for event in events[:3]] == [TextDelta, ToolCallDelta, TextDelta]
    assert words(events, TextDelta) == "<think>"
