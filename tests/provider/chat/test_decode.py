"""Streams as real servers send them, decoded from bytes."""

from __future__ import annotations

from typing import Any

import pytest
from completions import DONE, calls, decode, delta, finish, sse, tool, words
from hypothesis import given
from hypothesis import strategies as st

from msgbook.errors import OtherApiError, ProviderError
from msgbook.events import ModelFinished, ReasoningDelta, StreamEvent, TextDelta
from msgbook.provider.chat.decode import CompletionDecoder
from msgbook.provider.sse import LINE_LIMIT

BODY = (
    b"\xef\xbb\xbf: a comment\r\n\r\n"
    + sse(delta(role="assistant", content=""), end="\r\n")
    + sse(delta(reasoning_content="Überlegung"), delta(content="漢字 \u2028 🎉"))
    + sse(tool(0, "c1", "read", '{"a"'), tool(0, None, None, ": 1}"))
    + sse(finish(), finish(), {"choices": [], "usage": {"prompt_tokens": 3}}, DONE)
)


@given(st.lists(st.integers(0, len(BODY)), max_size=12))
def test_it_does_not_matter_where_the_bytes_are_cut(cuts):
    def merged(events: list[StreamEvent]) -> Any:
        return (
            words(events, ReasoningDelta),
            words(events, TextDelta),
            calls(events),
            events[-1],
        )

    assert merged(decode(BODY, cuts)) == (
        "Überlegung",
        "漢字 \u2028 🎉",
        [("c1", "read", '{"a": 1}')],
        ModelFinished("stop", True, {"input_tokens": 3}),
    )


def test_content_may_be_a_list_of_parts():
    events = decode(
        sse(delta(content=[{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]))
    )

    assert words(events, TextDelta) == "ab"


def test_a_refusal_is_text_that_says_so():
    events = decode(sse(delta(refusal="I \ud83d"), delta(refusal="\ude00 won't")))

    assert [e for e in events if isinstance(e, TextDelta)] == [
        TextDelta("I ", refusal=True),
        TextDelta("😀 won't", refusal=True),
    ]


def test_a_message_beside_the_last_delta_is_not_read_again():
    last = {"index": 0, "delta": {}, "message": {"content": "all"}, "finish_reason": "stop"}

    assert words(decode(sse(delta(content="all"), {"choices": [last]})), TextDelta) == "all"


@pytest.mark.parametrize(
    "chunk",
    [
        {"choices": [], "usage": {"prompt_tokens": 3}},
        {**finish(), "usage": {"prompt_tokens": 3, "completion_tokens": None}},
        {"choices": [{"delta": {}, "usage": {"prompt_tokens": 3}}]},
        {"choices": [], "x_groq": {"usage": {"prompt_tokens": 3}}},
    ],
    ids=["alone", "with the end", "in a choice", "x_groq"],
)
def test_usage_is_found_wherever_it_stands(chunk):
    assert decode(sse(chunk, finish()))[-1] == ModelFinished("stop", True, {"input_tokens": 3})


@pytest.mark.parametrize(
    "told",
    [
        {
            "prompt_tokens": 9,
            "prompt_tokens_details": {"cached_tokens": 4},
            "completion_tokens": 3,
            "completion_tokens_details": {"reasoning_tokens": 2},
        },
        {
            "input_tokens": 9,
            "input_tokens_details": {"cached_tokens": 4},
            "output_tokens": 3,
            "output_tokens_details": {"reasoning_tokens": 2},
        },
        {
            "prompt_tokens": 9,
            "prompt_tokens_details": None,
            "prompt_cache_hit_tokens": 4,
            "completion_tokens": 3,
            "reasoning_tokens": 2,
        },
        {"prompt_tokens": 9, "cached_tokens": 4, "completion_tokens": 3, "reasoning_tokens": 2},
        {
            "prompt_tokens": 9,
            "cache_read_input_tokens": 4,
            "completion_tokens": 3,
            "reasoning_tokens": 2,
        },
    ],
    ids=["OpenAI", "as in responses", "DeepSeek", "Moonshot", "gateways"],
)
def test_usage_is_found_under_each_name_it_has(told):
    assert decode(sse({**finish(), "usage": told}))[-1].usage == {
        "input_tokens": 9,
        "cached_tokens": 4,
        "output_tokens": 3,
        "reasoning_tokens": 2,
    }


@pytest.mark.parametrize(
    "told",
    [
        {"prompt_tokens_details": {"cache_write_tokens": 5}},
        {"prompt_tokens_details": {"cache_creation_tokens": 5}},
        {"cache_creation_input_tokens": 5},
        {"cache_creation_input_tokens": 5, "server_tool_use": {"web_search_requests": 0}},
    ],
)
def test_tokens_that_the_server_keeps_are_counted_and_zeros_are_not_noted(told):
    usage = {"prompt_tokens": 9, **told}

    assert decode(sse({**finish(), "usage": usage}))[-1].usage == {
        "input_tokens": 9,
        "cache_write_tokens": 5,
    }


def test_searches_of_the_server_are_counted():
    usage = {"prompt_tokens": 9, "server_tool_use": {"web_search_requests": 2}}

    assert decode(sse({**finish(), "usage": usage}))[-1].usage == {
        "input_tokens": 9,
        "web_searches": 2,
    }


def test_what_follows_the_end_mark_says_nothing():
    assert words(decode(sse(delta(content="a"), DONE, delta(content="b"))), TextDelta) == "a"


def test_unknown_keys_and_chunks_without_choices_change_nothing():
    first = {"choices": [], "prompt_filter_results": [{}], "obfuscation": "x"}
    second = {"id": "other", "provider": "p", "choices": [{"index": 0, "delta": None}]}
    said = delta(content="a", role="", annotations=[{}])

    assert decode(sse(first, second, said, finish())) == [
        TextDelta("a"),
        ModelFinished("stop", True),
    ]


@pytest.mark.parametrize(
    ("chunks", "end"),
    [
        ([finish("length")], ModelFinished("length", True)),
        ([finish("model_length")], ModelFinished("length", True)),
        ([finish("max_tokens")], ModelFinished("length", True)),
        ([DONE], ModelFinished(None, True)),
        ([delta(content="x")], ModelFinished(None, False)),
        ([{"choices": []}, finish(), finish(None)], ModelFinished("stop", True)),
    ],
)
def test_the_end_is_reported_as_the_server_marked_it(chunks, end):
    assert decode(sse(*chunks))[-1] == end


def test_the_last_event_may_lack_its_blank_line():
    assert words(decode(sse(delta(content="x")).rstrip(b"\n")), TextDelta) == "x"


def test_a_chunk_in_mid_stream_that_cannot_be_read_is_counted():
    body = sse(delta(content="a")) + b"data: {broken\n\n" + sse(delta(content="b"), finish())

    events = decode(body)

    assert words(events, TextDelta) == "ab"
    assert events[-1] == ModelFinished("stop", True, None, unreadable=1)


def test_a_line_without_an_end_is_refused():
    decoder = CompletionDecoder(lambda: "made")
    piece = b"x" * (LINE_LIMIT // 4)

    for _ in range(4):
        list(decoder.feed(piece))

    with pytest.raises(ProviderError, match="line without an end"):
        list(decoder.feed(piece))


def test_an_event_without_an_end_is_refused():
    decoder = CompletionDecoder(lambda: "made")
    line = b"data: " + b"x" * (LINE_LIMIT // 4) + b"\n"

    for _ in range(3):
        list(decoder.feed(line))

    with pytest.raises(ProviderError, match="event without an end"):
        list(decoder.feed(line))


def test_json_that_is_nested_too_deeply_is_unreadable_not_fatal():
    events = decode(b"data: " + b"[" * 200_000 + b"\n\n" + sse(finish()))

    assert events == [ModelFinished("stop", True, None, unreadable=1)]


def test_a_chunk_that_was_cut_off_is_left_out_and_the_end_mark_is_missing():
    events = decode(sse(delta(content="x")) + b'data: {"choices": [{"del')

    assert words(events, TextDelta) == "x"
    assert events[-1] == ModelFinished(None, False)


def test_halves_of_a_surrogate_pair_are_joined_and_lone_ones_replaced():
    pair = decode(sse(delta(content="a\ud83d"), delta(content="\ude00b")))
    lone = decode(sse(delta(content="a\ud83d"), delta(content="b"), delta(content="\ude00")))
    last = decode(sse(delta(content="a\ud83d")))

    assert words(pair, TextDelta) == "a😀b"
    assert words(lone, TextDelta) == "a\ufffdb\ufffd"
    assert words(last, TextDelta) == "a\ufffd"


@pytest.mark.parametrize(
    "body",
    [
        sse({"error": {"message": "overloaded"}}),
        sse({"error": "overloaded"}),
        b'event: error\ndata: {"message": "overloaded"}\n\n',
        b"event: error\ndata: overloaded\n\n",
        b'{"error": {"message": "overloaded"}}',
        sse({"choices": [{"error": {"message": "overloaded"}, "finish_reason": "error"}]}),
        sse({"choices": [], "x_groq": {"id": "req_1", "error": "overloaded"}}),
    ],
)
def test_an_error_in_the_stream_is_raised_with_the_servers_words(body):
    with pytest.raises(ProviderError, match="overloaded"):
        decode(body)


def test_what_was_held_back_comes_before_an_error():
    events = CompletionDecoder(lambda: "made").feed(
        sse(delta(content="<thi"), {"error": "overloaded"})
    )

    assert next(events) == TextDelta("<thi")
    with pytest.raises(ProviderError, match="overloaded"):
        next(events)


@pytest.mark.parametrize("page", [b"<html></html>", b"<!DOCTYPE html><p>Portal", b"data", b"[1]"])
def test_a_body_that_is_no_completion_is_shown_in_words(page):
    with pytest.raises(ProviderError, match="Expected a chat completion"):
        decode(page)


@pytest.mark.parametrize(
    "body",
    [
        sse({"type": "response.created", "response": {}}, delta(content="a")),
        b'{"object": "response", "output": []}',
    ],
)
def test_an_answer_of_the_responses_api_is_told_apart(body):
    with pytest.raises(OtherApiError, match="an answer of the Responses API"):
        decode(body)


def test_other_choices_than_the_first_are_left_out():
    second = {"choices": [{"index": 1, "delta": {"content": "no"}, "finish_reason": None}]}

    assert words(decode(sse(delta(content="yes"), second)), TextDelta) == "yes"
