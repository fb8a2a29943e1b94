"""Responses of a broken or hostile server: no other error than ours, and no more time than the length takes."""

from __future__ import annotations

import json

import pytest
from responses import (
    completed,
    decode,
    done,
    end,
    event,
    message,
    sse,
    text,
)

from msgbook.errors import ProviderError
from msgbook.events import Citations, OutputItem

_SEARCH = {"type": "web_search_call", "id": "ws_1"}
_PLACES = {
    "an item": done({**_SEARCH, "x": "?"}),
    "the type of an item": done({"type": "?"}),
    "a citation": event("output_text.annotation.added", annotation={"url": "u", "x": "?"}),
    "arguments": event("function_call_arguments.done", arguments="?"),
    "further keys of a call": done({"type": "function_call", "name": "r", "x": "?"}),
    "an error": event("failed", response={"error": {"code": "?"}}),
}


@pytest.mark.parametrize("place", _PLACES)
@pytest.mark.parametrize("opening", ["[", '{"a": '])
def test_no_depth_of_nesting_is_another_error_than_a_lost_event(place: str, opening: str):
    closing = "]" if opening == "[" else "}"
    template = json.dumps(_PLACES[place])

    for depth in [50, *range(900, 1000), 5000]:
        nested = f"{opening * depth}1{closing * depth}"
        body = f"data: {template.replace(json.dumps('?'), nested)}\n\n".encode()
        if place == "an error" and depth <= 100:
            with pytest.raises(ProviderError):
                decode(body + sse(completed()))
            continue
        events = decode(body + sse(completed()))
        json.dumps([found.item for found in events if isinstance(found, OutputItem)], indent=1)
        assert end(events).unreadable == (depth > 100)


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e999"])
def test_a_number_that_is_not_json_is_kept_as_null(number: str):
    given = {**_SEARCH, "score": 0.5}
    citation = event("output_text.annotation.added", annotation={"url": "u", "score": 0.5})
    body = sse(text("x"), citation, done(given, 1), completed())

    events = decode(body.replace(b"0.5", number.encode()))

    assert [found.item["score"] for found in events if isinstance(found, OutputItem)] == [None]
    assert [e.citations[0]["score"] for e in events if isinstance(e, Citations)] == [None]


def test_a_count_of_tokens_that_nobody_can_add_up_is_left_out():
    usage = {"input_tokens": int("9" * 4300), "output_tokens": 7}

    events = decode(sse(completed(message("hi"), usage=usage)))

    assert end(events).usage == {"output_tokens": 7}


def test_a_complete_response_with_countless_items_is_refused_at_once():
    output = [message("ab ", f"x{number}") for number in range(1001)]

    with pytest.raises(ProviderError, match="more than 1000 items"):
        decode(sse(text("ab "), completed(*output)))


def test_an_item_may_have_any_type():
    for kind in ("", "message\n", "__class__", "x" * 100_000, "\ud800", None, 1, [], {"a": 1}):
        events = decode(sse(done({"type": kind, "id": "i"}), completed()))

        assert [e.item["id"] for e in events if isinstance(e, OutputItem)] == ["i"]
