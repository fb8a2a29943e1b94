"""Streams with errors, gaps and events of another API: nothing said is lost, and what is wrong is told."""

from __future__ import annotations

import itertools
import json

import pytest
from completions import delta, finish
from completions import sse as chat_sse
from responses import (
    added,
    arguments,
    call,
    completed,
    decode,
    done,
    end,
    event,
    merged,
    message,
    plain,
    reasoning,
    response,
    sse,
    summary,
    text,
)

from msgbook.errors import NotACompletionError, ProviderError
from msgbook.events import ModelFinished, Notice, StreamEvent, TextDelta
from msgbook.provider.responses.decode import ResponseDecoder
from msgbook.provider.responses.output_items import MAX_ITEMS
from msgbook.provider.tool_call_pieces import MAX_CALLS

DONE = "[DONE]"


def until_error(body: bytes) -> tuple[list[StreamEvent], str]:
    """The events before the error, and its words."""
    events: list[StreamEvent] = []
    decoder = ResponseDecoder(lambda: "made")
    try:
        for one in itertools.chain(decoder.feed(body), decoder.end()):
            events.append(one)  # noqa: PERF402 - those before the error count
    except ProviderError as error:
        return events, str(error)
    raise AssertionError("no error")


@pytest.mark.parametrize(
    "body",
    [
        sse({"type": "error", "code": "x", "message": "overloaded", "param": None}),
        sse({"type": "error", "error": {"code": "x", "message": "overloaded"}}),
        plain({"type": "error", "message": "overloaded"}),
        plain({"error": {"message": "overloaded"}}),
        plain({"error": "overloaded"}),
        b"event: error\ndata: overloaded\n\n",
        b'event: error\ndata: {"message": "overloaded"}\n\n',
        b'{"error": {"message": "overloaded"}}',
        sse(completed(status="failed", error={"code": "x", "message": "overloaded"})),
        sse(event("failed", response={"error": {"message": "overloaded"}})),
        sse(
            event("completed", response=response(status="failed", error={"message": "overloaded"}))
        ),
        json.dumps(response(status="failed", error={"message": "overloaded"})).encode(),
    ],
)
def test_an_error_is_raised_with_the_servers_words(body):
    assert until_error(body)[1] == "overloaded"


def test_what_was_said_or_held_back_comes_before_an_error():
    events, words = until_error(sse(text("<thi"), {"type": "error", "message": "overloaded"}))

    assert (events, words) == ([TextDelta("<thi")], "overloaded")


def test_a_failed_response_says_what_the_deltas_left_out():
    failed = completed(message("Hello"), status="failed", error={"message": "overloaded"})
    events, _ = until_error(sse(text("Hel"), failed))

    assert merged(events) == [("text", "", "Hello")]


@pytest.mark.parametrize("status", ["failed", "cancelled"])
def test_a_failure_without_words_is_one(status):
    assert status in until_error(sse(event(status)))[1]


@pytest.mark.parametrize(
    ("details", "reason"),
    [
        ({"reason": "max_output_tokens"}, "length"),
        ({"reason": "content_filter"}, "content_filter"),
        ({"reason": "steered"}, "incomplete"),
        ({"reason": None}, "incomplete"),
        (None, "incomplete"),
        ("max_output_tokens", "incomplete"),
    ],
)
@pytest.mark.parametrize("kind", ["incomplete", "completed"])
def test_an_incomplete_response_ends_with_its_reason(details, reason, kind):
    whole = response(message("a"), status="incomplete", incomplete_details=details)

    events = decode(sse(text("a"), event(kind, response=whole)))

    assert end(events).finish_reason == reason
    told = [event.text for event in events if isinstance(event, Notice)]
    assert told == (
        ["The server ended its answer early. Its reason: steered."]
        if details == {"reason": "steered"}
        else []
    )


@pytest.mark.parametrize(
    ("last", "told"),
    [
        ([], ModelFinished(None, False)),
        ([DONE], ModelFinished(None, True)),
        ([completed()], ModelFinished("stop", True, model="m-2026")),
        ([completed(), DONE], ModelFinished("stop", True, model="m-2026")),
        ([event("completed", response=None)], ModelFinished("stop", True)),
        ([event("completed")], ModelFinished("stop", True)),
        ([event("done", response={})], ModelFinished("stop", True)),
    ],
)
def test_the_end_is_reported_as_the_server_marked_it(last, told):
    events = decode(sse(text("a"), *last))

    assert merged(events) == [("text", "", "a")]
    assert end(events) == told


def test_an_empty_body_is_an_answer_without_an_end():
    assert decode(b"") == [ModelFinished(None, False)]


def test_a_stream_that_is_cut_keeps_what_came_and_gives_no_item_back():
    begun = sse(added(reasoning(encrypted_content="half")), summary("hm"))

    assert merged(decode(begun)) == [("reasoning", "summary", "hm")]
    assert merged(decode(sse(done(reasoning("hm", status="incomplete"))))) == [
        ("reasoning", "summary", "hm")
    ]


def test_a_call_that_is_cut_is_a_call_without_its_end():
    events = decode(sse(added(call()), arguments('{"pa')))

    assert merged(events) == [("call", "call_1", "read", '{"pa')]
    assert not end(events).ended


def test_the_order_of_a_call_and_reasoning_that_is_complete_later_is_kept():
    sealed = reasoning(encrypted_content="s")
    stream = sse(added(reasoning()), added(call(), 1), done(call(), 1), done(sealed), completed())

    kinds = [type(one).__name__ for one in decode(stream)]
    assert kinds == ["ReasoningDelta", "ToolCallDelta", "OutputItem", "ModelFinished"]


def test_calls_side_by_side_are_told_apart_by_id_and_by_index():
    one, two = call("a", "", "fc_1"), call("b", "", "fc_2")
    by_id = [arguments("{1", "fc_1", 0), arguments("{2", "fc_2", 0), arguments("}", "fc_1", 0)]
    by_index = [
        event("function_call_arguments.delta", output_index=index, delta=piece)
        for index, piece in ((0, "{1"), (1, "{2"), (0, "}"))
    ]

    for pieces in (by_id, by_index):
        events = decode(sse(added(one), added(two, 1), *pieces))
        assert merged(events) == [("call", "call_1", "a", "{1}"), ("call", "call_2", "b", "{2")]


def test_calls_without_ids_and_indices_come_one_after_the_other():
    def made(name: str) -> dict[str, str]:
        return {"type": "function_call", "name": name, "call_id": f"call_{name}"}

    def piece(words: str) -> dict[str, str]:
        return {"type": "response.function_call_arguments.delta", "delta": words}

    stream = [added(made("a"), None), piece("{"), piece("}")]
    stream += [added(made("b"), None), piece("[]"), done({**made("b"), "arguments": "[]"}, None)]

    assert merged(decode(plain(*stream))) == [
        ("call", "call_a", "a", "{}"),
        ("call", "call_b", "b", "[]"),
    ]


def test_text_without_ids_and_indices_is_text():
    bare = [event("output_text.delta", delta=words) for words in ("a", "b")]
    ended = event("output_text.done", text="ab")
    more = event("output_text.delta", delta="c")

    assert merged(decode(plain(*bare, ended, more))) == [("text", "", "abc")]


def test_pieces_of_a_call_wait_for_its_name():
    pieces = [arguments('{"a"'), arguments(": 1}")]

    named = merged(decode(sse(*pieces, done(call("read", '{"a": 1}')))))
    assert named == [("call", "call_1", "read", '{"a": 1}')]
    assert merged(decode(sse(*pieces))) == [("call", "made_1", "", '{"a": 1}')]


@pytest.mark.parametrize(
    "events",
    [
        [added(call()), done(call("read", '{"a": 1}'))],
        [
            added(call()),
            event("function_call_arguments.done", item_id="fc_1", arguments='{"a": 1}'),
        ],
        [added(call("read", '{"a": 1}'))],
        [added(call()), arguments("")],
        [done(call("read", {"a": 1}))],
        [added(call()), arguments('{"a": 1}'), done(call("read", ""))],
        [added(call("read", "{}")), arguments('{"a": 1}'), done(call("read", "{}"))],
    ],
)
def test_arguments_come_from_wherever_they_stand(events):
    assert merged(decode(sse(*events, completed(call("read", '{"a": 1}'))))) == [
        ("call", "call_1", "read", '{"a": 1}')
    ]


def test_two_calls_with_one_id_are_two_calls():
    ids = {"call_id": "same"}
    events = decode(sse(completed(call("a", **ids), call("b", item_id="fc_2", **ids))))

    assert merged(events) == [("call", "same", "a", ""), ("call", "made_1", "b", "")]


def test_items_with_other_ids_in_the_complete_response_are_the_same_items():
    whole = completed(
        reasoning("hm", "rs_x"), message("Hello", "msg_x"), call("read", "{}", "fc_x")
    )
    stream = [
        summary("hm"),
        text("Hello", index=1),
        added(call("read"), 2),
        arguments("{}", index=2),
    ]

    assert merged(decode(sse(*stream, whole))) == [
        ("reasoning", "summary", "hm"),
        ("text", "", "Hello"),
        ("item", {"type": "reasoning", "id": "rs_x"}),
        ("call", "call_1", "read", "{}"),
    ]


@pytest.mark.parametrize("output", [[], None, [message("o")], [message("lo")], [None, 5, {}]])
def test_a_complete_response_that_says_less_takes_nothing_back_and_adds_nothing(output):
    whole = {**response(), "output": output}

    events = decode(sse(text("Hel"), text("lo"), event("completed", response=whole)))
    assert [one for one in merged(events) if one[0] == "text"] == [("text", "", "Hello")]


def test_reasoning_that_a_server_finds_at_the_end_in_its_text_is_not_said_twice():
    whole = completed(reasoning("I think."), message("Yes."))

    assert merged(decode(sse(text("I think."), text("Yes."), whole))) == [
        ("text", "", "I think.Yes.")
    ]


def test_what_follows_the_end_says_nothing():
    assert merged(decode(sse(completed(message("a")), text("b", "msg_2", 1)))) == [
        ("text", "", "a")
    ]


def test_late_pieces_of_a_complete_text_say_nothing():
    assert merged(decode(sse(done(message("ab")), text("b")))) == [("text", "", "ab")]


def test_halves_of_a_surrogate_pair_are_joined_and_lone_ones_replaced():
    whole = done(message("a😀b"))

    assert merged(decode(sse(text("a\ud83d"), text("\ude00b")))) == [("text", "", "a😀b")]
    assert merged(decode(sse(text("a\ud83d"), whole))) == [("text", "", "a😀b")]
    assert merged(decode(sse(text("a\ud83d")))) == [("text", "", "a\ufffd")]
    assert merged(decode(sse(text("\ud83d", part=0), added(call(), 1), text("\ude00")))) == [
        ("text", "", "😀"),
        ("call", "call_1", "read", ""),
    ]


@pytest.mark.parametrize("item", [{"type": "web_search_call"}, call(), message("a"), {}])
def test_numbers_of_items_are_bounded(item):
    items = [
        done({**item, "id": f"i{n}", "call_id": f"c{n}"}, n)
        for n in range(max(MAX_ITEMS, MAX_CALLS) + 1)
    ]

    assert "1000" in until_error(sse(*items))[1]


@pytest.mark.parametrize("end_mark", [[], ["[DONE]"]])
def test_a_chat_completion_is_an_answer_of_the_other_api(end_mark):
    words = until_error(chat_sse(delta(content="a"), finish(), *end_mark))[1]

    assert "chat completion" in words
    assert until_error(json.dumps(finish()).encode())[1] == words


@pytest.mark.parametrize("page", [b"<html></html>", b"<!DOCTYPE html><p>Portal", b"data", b"[1]"])
def test_a_body_that_is_no_response_is_shown_in_words(page):
    with pytest.raises(NotACompletionError, match="Expected a response, but the server answered"):
        decode(page)


def test_an_event_that_cannot_be_read_is_counted():
    body = sse(text("a")) + b"data: {broken\n\n" + sse(completed(message("abc")))

    events = decode(body)
    assert merged(events) == [("text", "", "abc")]
    assert end(events).unreadable == 1
