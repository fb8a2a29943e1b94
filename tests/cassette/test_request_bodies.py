"""Requests of either API are kept as what is new in them, and their differences are told in its words."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from msgbook.extras.cassettes.exchanges import BodyChain, redact_answer
from msgbook.extras.cassettes.player import describe_difference

ASKED = {"role": "user", "content": "hi"}
CALL = {"type": "function_call", "call_id": "c1", "name": "read", "arguments": "{}"}
FOUND = {"type": "function_call_output", "call_id": "c1", "output": "two\nlines"}

entries = st.lists(st.sampled_from([ASKED, CALL, FOUND]), max_size=5)
bodies = st.builds(
    lambda key, listed, model: {"model": model, key: listed},
    st.sampled_from(["messages", "input"]),
    entries,
    st.sampled_from(["m", "n"]),
)


@given(st.lists(bodies, max_size=6))
def test_requests_are_kept_and_found_again_whichever_api_each_goes_over(requests):
    packed, unpacked = BodyChain(), BodyChain()

    for body in requests:
        line = json.loads(json.dumps(packed.pack(body)))
        assert unpacked.unpack(line) == body


def test_items_are_kept_once():
    chain = BodyChain()
    chain.pack({"model": "m", "input": [ASKED]})

    packed = chain.pack({"model": "m", "input": [ASKED, CALL, FOUND]})

    assert (packed["kept"], packed["new"], packed["key"]) == (1, [CALL, FOUND], "input")
    assert "rest" not in packed


def test_a_request_of_chat_is_kept_as_before():
    packed = BodyChain().pack({"model": "m", "messages": [ASKED]})

    assert set(packed) == {"sha256", "kept", "new", "rest"}


@pytest.mark.parametrize(
    ("recorded", "now", "words", "line"),
    [
        ([ASKED], [{**ASKED, "content": "ho"}], "input item 1 (user) differs", "+ho"),
        ([CALL, FOUND], [CALL], "input item 2 (function_call_output) is missing", "-lines"),
        ([CALL], [CALL, FOUND], "input item 2 (function_call_output) is new", "+lines"),
        ([CALL], [{**CALL, "name": "glob"}], "input item 1 (function_call) differs", ' "name"'),
    ],
)
def test_a_difference_of_items_is_told_as_that_of_messages(recorded, now, words, line):
    told, diff = describe_difference({"input": recorded}, {"input": now})

    assert told == words
    assert any(line in shown for shown in diff)


def test_a_difference_of_instructions_shows_their_lines():
    old = {"instructions": "Be brief.\nBe kind.", "input": []}

    told, diff = describe_difference(old, {**old, "instructions": "Be brief.\nBe clear."})

    assert told == "`instructions` differs"
    assert diff[-2:] == ["-Be kind.", "+Be clear."]


def test_a_request_over_the_other_api_is_told_plainly():
    told, diff = describe_difference({"messages": [ASKED]}, {"input": [ASKED]})

    assert told == "it was recorded over the chat API, and is sent over the Responses API now"
    assert diff == []


@pytest.mark.parametrize("kind", ["output_text", "function_call_arguments", "refusal"])
def test_a_key_in_the_pieces_of_a_response_is_removed(kind):
    def event(words):
        data = {"type": f"response.{kind}.delta", "item_id": "x_1", "delta": words}
        return f"event: {data['type']}\ndata: {json.dumps(data)}\n\n"

    pieces = redact_answer(
        [event("a sk-012"), event("3456789"), event("abcdef b")], ["sk-0123456789abcdef"]
    )

    joined = "".join(json.loads(piece.split("data: ")[1])["delta"] for piece in pieces)
    assert joined == "a [redacted] b"
