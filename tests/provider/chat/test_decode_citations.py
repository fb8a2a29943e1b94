"""The sources of an answer and the model that gave it, as chat servers name them."""

from __future__ import annotations

import pytest
from completions import decode, delta, finish, sse

from msgbook.events import Citations, ModelFinished, TextDelta
from msgbook.provider.answer_quirks import MAX_CITATIONS

A, B = "https://a.example", "https://b.example"


def cited(*chunks):
    return [event.citations for event in decode(sse(*chunks)) if isinstance(event, Citations)]


def test_annotations_of_deltas_are_citations_of_the_text():
    note = {"type": "url_citation", "url_citation": {"url": A, "title": "A", "content": "..."}}

    assert decode(sse(delta(content="a"), delta(annotations=[note, note]), finish())) == [
        TextDelta("a"),
        Citations([{"type": "url_citation", "url": A, "title": "A", "content": "..."}]),
        ModelFinished("stop", True),
    ]


def test_sources_that_each_chunk_repeats_come_once_after_the_text():
    chunks = [{**delta(content=words), "citations": [A, B]} for words in "ab"]

    assert decode(sse(*chunks, finish()))[:-1] == [
        TextDelta("a"),
        TextDelta("b"),
        Citations([{"url": A}, {"url": B}]),
    ]


def test_search_results_name_the_titles_of_sources():
    result = {"url": A, "title": "A", "date": "2026-01-01"}
    last = {**finish(), "citations": [A, B], "search_results": [result]}

    assert cited(delta(content="a"), last) == [[result, {"url": B}]]


def test_an_answer_without_text_cites_nothing():
    assert cited({**finish(), "citations": [A]}) == []


@pytest.mark.parametrize("odd", [None, "", 5, {}, [], [None, 5, "", {}, [A], {"url": 5}]])
def test_what_names_no_source_is_dropped(odd):
    chunk = {**delta(content="a", annotations=odd), "citations": odd, "search_results": odd}

    assert cited(chunk, finish()) == []


def test_numbers_of_citations_are_bounded():
    urls = [f"{A}/{n}" for n in range(MAX_CITATIONS + 5)]

    assert len(cited({**delta(content="a"), "citations": urls})[0]) == MAX_CITATIONS


@pytest.mark.parametrize(
    ("told", "model"), [("m-1", "m-1"), (" m\n1 ", "m 1"), ("", None), (5, None), (None, None)]
)
def test_the_model_that_answered_is_named_at_the_end(told, model):
    assert decode(sse({**delta(content="a"), "model": told}, finish()))[-1].model == model
