"""Streams as real servers send them, decoded from bytes."""

from __future__ import annotations

import dataclasses
import itertools
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from msgbook.errors import ProviderError
from msgbook.events import (
    ModelFinished,
    ReasoningDelta,
    ReasoningDetails,
    StreamEvent,
    TextDelta,
    ToolCallDelta,
)
from msgbook.provider.calls import MAX_CALLS
from msgbook.provider.decode import CompletionDecoder
from msgbook.provider.sse import LINE_LIMIT

DONE = "data: [DONE]"


def sse(*chunks: Any, end: str = "\n") -> bytes:
    lines = (c if c == DONE else "data: " + json.dumps(c) for c in chunks)
    return "".join(line + end + end for line in lines).encode()


def delta(**fields: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": fields}]}


def tool(
    index: Any = 0, call_id: str | None = None, name: str | None = None, arguments: Any = ""
) -> Any:
    call: dict[str, Any] = {"function": {"arguments": arguments}}
    if index is not None:
        call["index"] = index
    if call_id is not None:
        call["id"] = call_id
    if name is not None:
        call["function"]["name"] = name
    return delta(tool_calls=[call])


def finish(reason: str | None = "stop") -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}


def decode(body: bytes, cuts: list[int] | None = None) -> list[StreamEvent]:
    numbers = itertools.count(1)
    decoder = CompletionDecoder(lambda: f"made_{next(numbers)}")
    places = [0, *sorted(cuts or []), len(body)]
    events: list[StreamEvent] = []
    for start, stop in itertools.pairwise(places):
        events += decoder.feed(body[start:stop])
    return events + list(decoder.end())


def words(events: list[StreamEvent], kind: type) -> str:
    return "".join(event.text for event in events if isinstance(event, kind))  # type: ignore[attr-defined]


def calls(events: list[StreamEvent]) -> list[tuple[str, str, str]]:
    found: dict[int, list[str]] = {}
    for event in events:
        if isinstance(event, ToolCallDelta):
            call = found.setdefault(event.index, [event.id, "", ""])
            call[1] += event.name
            call[2] += event.arguments
    return [(i, n, a) for i, n, a in found.values()]


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


def test_content_may_be_a_list_of_parts():
    events = decode(
        sse(delta(content=[{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]))
    )

    assert words(events, TextDelta) == "ab"


@pytest.mark.parametrize(
    ("chunks", "expected"),
    [
        (
            [tool(0, "a", "f", "1"), tool(1, "b", "g", "2"), tool(0, None, None, "1")],
            [("a", "f", "11"), ("b", "g", "2")],
        ),
        ([tool(1, "b", "g", "2"), tool(0, "a", "f", "1")], [("b", "g", "2"), ("a", "f", "1")]),
        (
            [tool(None, "a", "f", "1"), tool(None, "b", "g", "2")],
            [("a", "f", "1"), ("b", "g", "2")],
        ),
        ([tool(None, "a", "f", "1"), tool(None, "a", None, "1")], [("a", "f", "11")]),
        ([tool(None, "a", "f", "1"), tool(None, None, None, "1")], [("a", "f", "11")]),
        ([tool(0, "a", "f", "1"), tool(0, "b", "g", "2")], [("a", "f", "1"), ("b", "g", "2")]),
        ([tool(0, None, "f", "1"), tool(0, None, None, "1")], [("made_1", "f", "11")]),
        ([tool(0, "a", "f", "1"), tool(0, "a", "f", "1")], [("a", "f", "11")]),
        (
            [tool(0, "", "f", "1"), tool(1, "", "g", "2")],
            [("made_1", "f", "1"), ("made_2", "g", "2")],
        ),
        ([tool(0, "a", "f", {"x": 1})], [("a", "f", '{"x": 1}')]),
        ([tool(0, "a", "f", None)], [("a", "f", "")]),
        (
            [tool(0, "", "f", "{}"), tool(0, "", "g", "{}")],
            [("made_1", "f", "{}"), ("made_2", "g", "{}")],
        ),
        ([tool(0, "a", "f", "1"), tool(1, "a", "g", "2")], [("a", "f", "1"), ("made_1", "g", "2")]),
    ],
    ids=[
        "by index",
        "out of order",
        "no index, two ids",
        "no index, one id",
        "no index, no id",
        "reused index",
        "no id",
        "name repeated",
        "empty ids",
        "object",
        "null",
        "another name",
        "reused id",
    ],
)
def test_pieces_of_calls_find_their_call(chunks, expected):
    assert calls(decode(sse(*chunks))) == expected


def test_a_legacy_function_call_is_a_call():
    pieces = [delta(function_call={"name": "f", "arguments": "{"})]
    pieces += [delta(function_call={"arguments": "}"})]

    assert calls(decode(sse(*pieces, finish("function_call")))) == [("made_1", "f", "{}")]


def test_a_thought_signature_stays_with_its_call():
    signature = {"google": {"thought_signature": "s"}}
    signed = tool(0, "c", "f", "{}")
    signed["choices"][0]["delta"]["tool_calls"][0]["extra_content"] = signature

    assert decode(sse(signed))[0] == ToolCallDelta(0, "c", "f", "{}", {"extra_content": signature})


def test_a_character_cut_in_two_in_arguments_is_joined():
    pieces = [tool(0, "c", "f", '"\ud83d'), tool(0, None, None, '\ude00"')]

    assert calls(decode(sse(*pieces))) == [("c", "f", '"😀"')]


def test_calls_without_end_are_refused():
    body = sse(*(tool(i, f"c{i}", "f", "") for i in range(MAX_CALLS + 1)))

    with pytest.raises(ProviderError, match="more than"):
        decode(body)


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
        ([DONE], ModelFinished(None, True)),
        ([delta(content="x")], ModelFinished(None, False)),
        ([{"choices": []}, finish(), finish(None)], ModelFinished("stop", True)),
    ],
)
def test_the_end_is_told_as_the_server_marked_it(chunks, end):
    assert decode(sse(*chunks))[-1] == end


def test_the_last_event_may_lack_its_blank_line():
    assert words(decode(sse(delta(content="x")).rstrip(b"\n")), TextDelta) == "x"


def test_a_chunk_in_mid_stream_that_cannot_be_read_is_counted():
    body = sse(delta(content="a")) + b"data: {broken\n\n" + sse(delta(content="b"), finish())

    events = decode(body)

    assert words(events, TextDelta) == "ab"
    assert events[-1] == ModelFinished("stop", True, None, unreadable=1)


def test_a_line_without_an_end_is_refused():
    decoder = CompletionDecoder()
    piece = b"x" * (LINE_LIMIT // 4)

    for _ in range(4):
        list(decoder.feed(piece))

    with pytest.raises(ProviderError, match="line without an end"):
        list(decoder.feed(piece))


def test_an_event_without_an_end_is_refused():
    decoder = CompletionDecoder()
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
    ],
)
def test_an_error_in_the_stream_is_raised_with_the_servers_words(body):
    with pytest.raises(ProviderError, match="overloaded"):
        decode(body)


def test_what_was_held_back_comes_before_an_error():
    events = CompletionDecoder().feed(sse(delta(content="<thi"), {"error": "overloaded"}))

    assert next(events) == TextDelta("<thi")
    with pytest.raises(ProviderError, match="overloaded"):
        next(events)


@pytest.mark.parametrize("page", [b"<html></html>", b"<!DOCTYPE html><p>Portal", b"data", b"[1]"])
def test_a_body_that_is_no_completion_is_shown_in_words(page):
    with pytest.raises(ProviderError, match="Expected a chat completion"):
        decode(page)


def test_other_choices_than_the_first_are_left_out():
    second = {"choices": [{"index": 1, "delta": {"content": "no"}, "finish_reason": None}]}

    assert words(decode(sse(delta(content="yes"), second)), TextDelta) == "yes"


odd = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 2) | st.sampled_from(["", "a", "\ud83d", "[DONE]"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.just("text"), inner),
    max_leaves=3,
)


def shape(**fields: Any) -> Any:
    """Objects with some of the fields, or something else altogether."""
    known = {key: odd | value for key, value in fields.items()}
    return odd | st.fixed_dictionaries({}, optional=known)


def many(values: Any) -> Any:
    return st.lists(values, max_size=3)


function = shape(name=odd, arguments=odd)
call = shape(index=odd, id=odd, function=function, extra_content=odd)
part = shape(type=st.sampled_from(["text", "thinking"]), text=odd, thinking=many(odd))
detail = shape(type=st.sampled_from(["reasoning.text", "x"]), text=odd, signature=odd)
message = shape(
    content=many(part),
    function_call=function,
    reasoning=odd,
    reasoning_details=many(detail),
    refusal=odd,
    tool_calls=many(call),
)
choice = shape(index=odd, delta=message, message=message, finish_reason=odd)
usage = shape(prompt_tokens=odd, prompt_tokens_details=shape(cached_tokens=odd))


@given(many(shape(choices=many(choice), usage=usage)))
def test_no_shape_of_a_chunk_raises_or_hides_what_follows(chunks):
    events = decode(sse(*chunks, delta(content="after")))

    assert "after" in words(events, TextDelta)


@given(many(shape(choices=many(choice), usage=usage)))
def test_whatever_a_server_sends_can_be_saved_and_sent_on(chunks):
    events = [dataclasses.asdict(event) for event in decode(sse(*chunks, finish("\ud83d")))]

    assert json.dumps(events, ensure_ascii=False).encode()


@given(many(shape(choices=many(choice), usage=usage)), st.lists(st.integers(0, 2000), max_size=8))
def test_no_cut_of_any_stream_changes_its_events(chunks, cuts):
    body = sse(*chunks, delta(content="after"))

    assert decode(body, [min(cut, len(body)) for cut in cuts]) == decode(body)
