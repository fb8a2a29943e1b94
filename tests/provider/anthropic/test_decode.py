"""Answers of Anthropic's Messages API as servers send them, decoded from bytes to the events of a turn."""

from __future__ import annotations

import itertools
import json

import pytest
from completions import calls
from hypothesis import given
from hypothesis import strategies as st

from msgbook.errors import NotACompletionError, OtherApiError
from msgbook.events import (
    Citations,
    ModelDisplay,
    ModelFinished,
    Notice,
    OutputItem,
    ReasoningDelta,
    TextDelta,
)
from msgbook.provider.anthropic.decode import MessageDecoder
from msgbook.provider.error_quirks import ReportedError
from msgbook.text import text_digest

MODEL = "claude-sonnet-4-5"
USAGE = {
    "input_tokens": 10,
    "cache_creation_input_tokens": 5,
    "cache_read_input_tokens": 85,
    "output_tokens": 1,
}


def sse(*events):
    """Events as Anthropic frames them, each with its name; texts as they are."""
    return "".join(
        event
        if isinstance(event, str)
        else f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"
        for event in events
    ).encode()


def started(**more):
    message = {"id": "msg_1", "type": "message", "role": "assistant", "content": []}
    message |= {"model": f"{MODEL}-20250929", "stop_reason": None, "usage": USAGE}
    return {"type": "message_start", "message": message | more}


def start(index, kind, **content):
    return {
        "type": "content_block_start",
        "index": index,
        "content_block": {"type": kind, **content},
    }


def delta(index, kind, **content):
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **content}}


def stop(index):
    return {"type": "content_block_stop", "index": index}


def ended(reason="end_turn", **more):
    usage = {"output_tokens": 20}
    return {"type": "message_delta", "delta": {"stop_reason": reason, **more}, "usage": usage}


OVER = {"type": "message_stop"}
PING = {"type": "ping"}
THOUGHT = (
    start(0, "thinking", thinking="", signature=""),
    delta(0, "thinking_delta", thinking="I look "),
    PING,
    delta(0, "thinking_delta", thinking="first."),
    delta(0, "signature_delta", signature="SIG"),
    stop(0),
)
SAID = (
    start(1, "text", text=""),
    delta(1, "text_delta", text="Let me "),
    delta(1, "text_delta", text="see."),
    stop(1),
)
CALL = (
    start(2, "tool_use", id="toolu_1", name="read", input={}),
    delta(2, "input_json_delta", partial_json=""),
    delta(2, "input_json_delta", partial_json='{"path": '),
    delta(2, "input_json_delta", partial_json='"a.py"}'),
    stop(2),
)
STREAM = (started(), *THOUGHT, *SAID, *CALL, ended("tool_use"), OVER)
SIGNED = OutputItem(
    {
        "type": "thinking",
        "signature": "SIG",
        "model": MODEL,
        "digest": text_digest("I look first."),
    }
)


def decode(body, cuts=()):
    numbers = itertools.count(1)
    decoder = MessageDecoder(lambda: f"made_{next(numbers)}", MODEL)
    places = [0, *sorted(cuts), len(body)]
    events = []
    for begin, end in itertools.pairwise(places):
        events += decoder.feed(body[begin:end])
    return [*events, *decoder.end()]


def texts(events, kind=TextDelta):
    return "".join(event.text for event in events if isinstance(event, kind))


def of(events, kind):
    return [event for event in events if isinstance(event, kind)]


def end(events):
    return events[-1]


def test_thinking_text_and_calls_come_with_usage_and_the_model_that_answered():
    events = decode(sse(*STREAM))

    assert texts(events, ReasoningDelta) == "I look first."
    assert texts(events) == "Let me see."
    assert calls(events) == [("toolu_1", "read", '{"path": "a.py"}')]
    assert of(events, OutputItem) == [SIGNED]
    usage = {"input_tokens": 100, "cached_tokens": 85, "output_tokens": 20, "cache_write_tokens": 5}
    assert end(events) == ModelFinished("tool_calls", True, usage, model=f"{MODEL}-20250929")


@given(st.lists(st.integers(0, len(sse(*STREAM))), max_size=12))
def test_it_does_not_matter_where_the_bytes_are_cut(cuts):
    whole, cut = decode(sse(*STREAM)), decode(sse(*STREAM), cuts)

    assert texts(cut, ReasoningDelta) == texts(whole, ReasoningDelta)
    assert (texts(cut), calls(cut), end(cut)) == (texts(whole), calls(whole), end(whole))


def test_an_answer_that_was_not_streamed_says_the_same():
    content = [
        {"type": "thinking", "thinking": "I look first.", "signature": "SIG"},
        {"type": "text", "text": "Let me see."},
        {"type": "tool_use", "id": "toolu_1", "name": "read", "input": {"path": "a.py"}},
    ]
    message = started(content=content, stop_reason="tool_use")["message"]
    events = decode(json.dumps(message, indent=1).encode())

    assert texts(events, ReasoningDelta) == "I look first."
    assert texts(events) == "Let me see."
    assert calls(events) == [("toolu_1", "read", '{"path": "a.py"}')]
    assert of(events, OutputItem) == [SIGNED]
    assert end(events).finish_reason == "tool_calls"


def test_every_event_twice_says_what_it_says_once_but_for_the_pieces():
    whole = {"content_block_delta"}
    twice = [e for event in STREAM for e in ([event] if event["type"] in whole else [event] * 2)]
    events = decode(sse(*twice))

    assert texts(events, ReasoningDelta) == "I look first."
    assert texts(events) == "Let me see."
    assert calls(events) == [("toolu_1", "read", '{"path": "a.py"}')]
    assert of(events, OutputItem) == [SIGNED]


def test_pieces_need_no_start_and_no_end_of_their_block():
    kept = [e for e in STREAM if e["type"] not in ("message_start", "content_block_stop")]
    kept = [e for e in kept if e.get("content_block", {}).get("type") != "text"]
    events = decode(sse(*kept))

    assert texts(events, ReasoningDelta) == "I look first."
    assert texts(events) == "Let me see."
    assert calls(events) == [("toolu_1", "read", '{"path": "a.py"}')]
    assert of(events, OutputItem) == [SIGNED]


def test_a_start_that_comes_after_the_pieces_names_the_call():
    late = (CALL[2], CALL[3], CALL[0], CALL[4])
    events = decode(sse(started(), *late, ended("tool_use"), OVER))

    assert calls(events) == [("toolu_1", "read", '{"path": "a.py"}')]


@pytest.mark.parametrize(
    "block",
    [
        {"kind": "tool_use", "id": "toolu_1", "name": "read", "input": {}},
        {"kind": "redacted_thinking", "data": "sealed"},
        {"kind": "thinking", "thinking": ""},
        {"kind": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}},
        {"kind": "nobody_knows"},
    ],
)
def test_a_piece_of_text_in_a_block_of_another_type_is_text(block):
    body = sse(
        started(),
        start(0, **block),
        delta(0, "text_delta", text="It is "),
        delta(0, "text_delta", text="here."),
        delta(0, "thinking_delta", thinking="Hm."),
        stop(0),
        ended(),
        OVER,
    )
    events = decode(body)

    assert texts(events) == "It is here."
    assert texts(events, ReasoningDelta) == "Hm."


EMPTY = [
    {},
    {"text": None, "thinking": None, "signature": None, "partial_json": None, "citation": None},
    {"text": "", "thinking": "", "signature": "", "partial_json": "", "extra": {}},
]


@pytest.mark.parametrize("fields", EMPTY)
@pytest.mark.parametrize(
    ("block", "kind"),
    [
        ({"kind": "text", "text": "Hi"}, "text_delta"),
        ({"kind": "thinking", "thinking": "Hm"}, "thinking_delta"),
        ({"kind": "thinking", "thinking": "Hm"}, "signature_delta"),
        ({"kind": "tool_use", "id": "t", "name": "f", "input": {}}, "input_json_delta"),
        ({"kind": "server_tool_use", "id": "t", "name": "f", "input": {}}, "input_json_delta"),
        ({"kind": "redacted_thinking", "data": "x"}, "redacted_thinking_delta"),
        ({"kind": "hologram"}, "hologram_delta"),
    ],
)
def test_a_piece_that_says_nothing_changes_nothing(block, kind, fields):
    def decoded(*pieces):
        events = (start(0, **block), *pieces, stop(0), ended(), OVER)
        return decode(sse(started(), *events))

    assert decoded(delta(0, kind, **fields), delta(0, kind, **fields)) == decoded()
    told = [notice.text for notice in of(decoded(delta(0, kind, extra="a quokka")), Notice)]
    assert "a quokka" in " ".join(told) or kind == "signature_delta"


def test_events_of_two_blocks_may_be_mixed():
    mixed = [
        start(0, "tool_use", id="a", name="read", input={}),
        start(1, "tool_use", id="b", name="read", input={}),
        delta(1, "input_json_delta", partial_json='{"path": "b'),
        delta(0, "input_json_delta", partial_json='{"path": "a'),
        delta(1, "input_json_delta", partial_json='"}'),
        delta(0, "input_json_delta", partial_json='"}'),
        stop(1),
        stop(0),
    ]
    events = decode(sse(started(), *mixed, ended("tool_use"), OVER))

    assert calls(events) == [("a", "read", '{"path": "a"}'), ("b", "read", '{"path": "b"}')]


@pytest.mark.parametrize(
    ("given_input", "pieces", "arguments"),
    [
        ({}, [], "{}"),
        ({}, ["", ""], "{}"),
        ({"path": "a"}, [], '{"path": "a"}'),
        (None, [""], "{}"),
        ({"path": "a"}, ['{"path": ', '"a"}'], '{"path": "a"}'),
    ],
)
def test_arguments_come_in_pieces_or_with_the_start_or_not_at_all(given_input, pieces, arguments):
    deltas = [delta(0, "input_json_delta", partial_json=piece) for piece in pieces]
    events = decode(
        sse(
            started(),
            start(0, "tool_use", id="t", name="now", input=given_input),
            *deltas,
            stop(0),
            ended("tool_use"),
            OVER,
        )
    )

    assert calls(events) == [("t", "now", arguments)]


def test_blocks_may_all_have_one_index():
    blocks = [{**event, "index": 0} if "index" in event else event for event in STREAM]
    events = decode(sse(*blocks))

    assert texts(events, ReasoningDelta) == "I look first."
    assert texts(events) == "Let me see."
    assert calls(events) == [("toolu_1", "read", '{"path": "a.py"}')]


def test_hidden_thinking_is_kept_without_words():
    hidden = (
        start(0, "thinking", thinking="", signature=""),
        delta(0, "signature_delta", signature="SIG"),
        stop(0),
        start(1, "redacted_thinking", data="XXX"),
        stop(1),
    )
    events = decode(sse(started(), *hidden, ended(), OVER))

    redacted = {"type": "redacted_thinking", "data": "XXX", "model": MODEL}
    signed = OutputItem({**SIGNED.item, "digest": text_digest("")})
    assert of(events, OutputItem) == [signed, OutputItem(redacted)]
    assert of(events, Notice) == []


def test_text_with_citations_names_its_sources():
    page = {
        "type": "web_search_result_location",
        "url": "https://a.example",
        "title": "A",
        "cited_text": "x",
        "encrypted_index": "E",
    }
    place = {"type": "page_location", "document_title": "B.pdf", "cited_text": "y"}
    stream = [
        start(0, "text", text="", citations=[]),
        delta(0, "text_delta", text="One."),
        delta(0, "citations_delta", citation=page),
        stop(0),
        start(1, "text", text=""),
        delta(1, "text_delta", text=" Two."),
        delta(1, "citations_delta", citation=place),
        stop(1),
    ]
    events = decode(sse(started(), *stream, ended(), OVER))

    assert texts(events) == "One. Two."
    cited = [citation for event in of(events, Citations) for citation in event.citations]
    assert [c["title"] for c in cited] == ["A", "B.pdf"]
    assert cited[0]["url"] == "https://a.example"


def test_what_the_server_did_itself_is_kept_whole():
    results = [{"type": "web_search_result", "url": "https://a.example", "title": "A"}]
    stream = [
        start(0, "server_tool_use", id="srv_1", name="web_search", input={}),
        delta(0, "input_json_delta", partial_json='{"query": "quines"}'),
        stop(0),
        start(1, "web_search_tool_result", tool_use_id="srv_1", content=results),
        stop(1),
    ]
    counted = {"input_tokens": 1, "output_tokens": 2, "server_tool_use": {"web_search_requests": 1}}
    events = decode(sse(started(usage=counted), *stream, ended("pause_turn"), OVER))

    call = {"type": "server_tool_use", "id": "srv_1", "name": "web_search"}
    assert of(events, OutputItem) == [
        OutputItem({**call, "input": {"query": "quines"}}),
        OutputItem({"type": "web_search_tool_result", "tool_use_id": "srv_1", "content": results}),
    ]
    assert end(events).finish_reason == "pause_turn"
    assert end(events).usage["web_searches"] == 1
    assert calls(events) == []


def test_blocks_and_pieces_and_events_that_nobody_knows_are_told():
    stream = [
        start(0, "hologram", words="A cube."),
        delta(0, "spin_delta", turn="left"),
        stop(0),
        {"type": "weather", "sky": "clear"},
    ]
    events = decode(sse(started(), *stream, *SAID, ended(), OVER))

    told = " ".join(notice.text for notice in of(events, Notice))
    assert all(word in told for word in ("hologram", "A cube.", "left", "weather", "clear"))
    assert texts(events) == "Let me see."


def test_a_picture_is_shown():
    source = {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgoAAAA="}
    events = decode(sse(started(), start(0, "image", source=source), stop(0), ended(), OVER))

    assert of(events, ModelDisplay) == [ModelDisplay({"image/png": "iVBORw0KGgoAAAA="})]


@pytest.mark.parametrize(
    ("reason", "plain"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("tool_use", "tool_calls"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("pause_turn", "pause_turn"),
        ("refusal", "content_filter"),
        ("full_moon", "full_moon"),
    ],
)
def test_a_stop_reason_has_its_name_in_a_turn(reason, plain):
    assert end(decode(sse(started(), *SAID, ended(reason), OVER))).finish_reason == plain


def test_a_refusal_says_why():
    details = {"type": "refusal", "category": "bio", "explanation": "It may harm."}
    events = decode(sse(started(), ended("refusal", stop_details=details), OVER))

    assert [notice.text for notice in of(events, Notice)] == [
        "The provider refused to answer: “bio: It may harm.”"
    ]


def test_an_answer_without_an_end_is_cut():
    events = decode(sse(started(), *THOUGHT, SAID[0], SAID[1]))

    assert texts(events) == "Let me "
    assert not end(events).ended
    assert end(events).usage["input_tokens"] == 100


def test_a_stream_may_end_without_its_last_blank_line():
    events = decode(sse(*STREAM).rstrip())

    assert end(events).finish_reason == "tool_calls"
    assert end(events).ended


def test_an_error_after_text_is_the_servers_own():
    overloaded = {"type": "overloaded_error", "message": "Overloaded"}
    decoder = MessageDecoder(lambda: "x", MODEL)
    body = sse(started(), *SAID[:2], {"type": "error", "error": overloaded})
    events = []
    with pytest.raises(ReportedError, match="Overloaded"):
        events.extend(decoder.feed(body))

    assert texts(events) == "Let me "
    assert decoder.usage["input_tokens"] == 100


def test_the_usage_at_the_end_wins_where_it_is_given():
    last = {**ended(), "usage": {"input_tokens": 12, "output_tokens": 30}}
    events = decode(sse(started(), *SAID, last, OVER))

    assert end(events).usage["input_tokens"] == 102
    assert end(events).usage["output_tokens"] == 30


@pytest.mark.parametrize(
    "body",
    [
        b'data: {"choices": [{"delta": {"content": "Hi"}}]}\n\n',
        b'data: {"type": "response.created", "response": {}}\n\n',
    ],
)
def test_an_answer_over_another_api_says_so(body):
    with pytest.raises(OtherApiError, match="Messages API"):
        decode(body)


@pytest.mark.parametrize("body", [b"<html>Hello</html>", b'{"a": {"b": 1}}', b"hello"])
def test_a_body_that_is_no_answer_is_an_error(body):
    with pytest.raises((NotACompletionError, ReportedError)):
        decode(body)


def test_halves_of_a_character_in_two_pieces_are_one():
    halves = ("\\ud83d", "\\ude00")
    pieces = [
        f"event: content_block_delta\ndata: "
        f'{{"type": "content_block_delta", "index": 0, "delta": {{"type": "text_delta", "text": "{half}"}}}}\n\n'
        for half in halves
    ]
    assert texts(decode(sse(started(), *pieces, ended(), OVER))) == "😀"
