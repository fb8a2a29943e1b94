"""A server may send the whole text so far in each delta. That is found out, and harms no stream of pieces."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from completions import DONE, delta, finish, sse, tool
from hypothesis import given
from hypothesis import strategies as st
from responses import arguments, call, completed, event, message, plain
from responses import text as text_delta
from streamed_turns import StreamedTurn

from msgbook.provider.pieces import WholeDeltas

TEXT = "Hello world, how are you? I am fine, thank you; and what about the weather over there?"
PIECES = [
    ["ha", "haha"],
    ["ha", "haha", "haha! So funny"],
    ["-", "--", "----", "--------"],
    ["no ", "no no ", "no no no ", "no no no no "],
    ["\n*", "\n**", "\n***", "\n****", "\n*****", "\n******", "\n*******"],
    ["*\n", "**\n", "***\n"],
    ["a", "ab", "abc"],
    ["The", "The", "The"],
    ["1", "12", "123", "1234"],
    ["He", "Hello", "Hello", " again"],
    ["x"] * 50,
    ["ab" * 2**n for n in range(14)],
]
"""Streams of pieces that look as if they were more."""


def _grown(text: str, *sizes: int) -> list[str]:
    return [text[:size] for size in (*sizes, len(text))]


GROWN = [
    _grown("Hello world", 3, 5, 9),
    _grown("Hello world", 2, 5),
    _grown(TEXT, *range(1, len(TEXT))),
    _grown(TEXT, *range(4, len(TEXT), 7)),
    _grown(TEXT, 10, 20, 20, 30),
    [*_grown(TEXT, 10, 20, 30), TEXT],
    _grown("你好，世界。今天天气很好。", 2, 5, 8),
]
"""Streams that say all in each delta."""


def _chat(**deltas: list[str]) -> bytes:
    chunks = [delta(**{key: text}) for key, texts in deltas.items() for text in texts]
    return sse(delta(role="assistant", content=""), *chunks, finish(), DONE)


@pytest.mark.parametrize("texts", GROWN)
@pytest.mark.parametrize("key", ["content", "reasoning", "reasoning_content"])
def test_a_chat_that_says_all_in_each_delta_is_shown_once(key: str, texts: list[str]) -> None:
    deltas = {key: texts} if key == "content" else {key: texts, "content": ["So: ", "yes."]}
    said = StreamedTurn("chat", _chat(**deltas)).said

    assert (said["text"] if key == "content" else said["reasoning"][0]) == texts[-1]
    assert said["status"] == "done"
    assert key == "content" or said["text"] == "So: yes."


@pytest.mark.parametrize("texts", PIECES)
@pytest.mark.parametrize("key", ["content", "reasoning"])
def test_pieces_that_begin_alike_are_left_alone(key: str, texts: list[str]) -> None:
    said = StreamedTurn("chat", _chat(**{key: texts})).said

    assert said["text"] + "".join(said["reasoning"]) == "".join(texts)


def _response(texts: list[str], *end: Any) -> dict[str, Any]:
    deltas = [text_delta(one, item_id="m1", index=0) for one in texts]
    return StreamedTurn("responses", plain(*deltas, *end)).said


DOUBTFUL = [
    ["ha", "haha"],
    ["ha", "haha", "haha! So funny"],
    ["-", "--", "----", "--------"],
    ["a", "ab", "abc"],
    ["\n*", "\n**", "\n***"],
    _grown("Hello world", 3, 5, 9),
    _grown(TEXT, 10, 20, 20, 30),
]
"""Streams that may be either."""


@pytest.mark.parametrize("texts", DOUBTFUL)
@pytest.mark.parametrize("is_whole", [True, False])
@pytest.mark.parametrize("kind", ["output_text.done", "output_item.done", "completed"])
def test_what_the_server_says_at_the_end_decides(
    kind: str, is_whole: bool, texts: list[str]
) -> None:
    whole = texts[-1] if is_whole else "".join(texts)
    place = {"item_id": "m1", "output_index": 0}
    end: dict[str, Any] = {
        "output_text.done": event("output_text.done", **place, content_index=0, text=whole),
        "output_item.done": event("output_item.done", **place, item=message(whole, "m1")),
        "completed": completed(message(whole)),
    }
    said = _response(texts, end[kind], completed())
    assert (said["text"], said["notices"]) == (whole, [])

    last = {"choices": [{"index": 0, "finish_reason": "stop", "message": {"content": whole}}]}
    body = sse(*[delta(content=one) for one in texts], last, DONE)
    said = StreamedTurn("chat", body).said
    assert (said["text"], said["notices"]) == (whole, [])


@pytest.mark.parametrize("texts", PIECES)
def test_pieces_of_a_response_that_begin_alike_are_left_alone(texts: list[str]) -> None:
    said = _response(texts, completed(message("".join(texts))))

    assert (said["text"], said["notices"]) == ("".join(texts), [])


@pytest.mark.parametrize("texts", GROWN)
def test_a_response_without_words_at_its_end_is_shown_once(texts: list[str]) -> None:
    assert _response(texts, completed())["text"] == texts[-1]


ARGUMENTS = ['{"a"', '{"a": "b', '{"a": "b", "c": [1, 2]', '{"a": "b", "c": [1, 2], "d": {}}']


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("again", [True, False])
def test_arguments_that_are_sent_whole_each_time_run_once(named: bool, again: bool) -> None:
    first, *others = [*ARGUMENTS, *ARGUMENTS[-1:] * again]
    rest = [tool(0, "c1" if named else None, "f" if named else None, one) for one in others]
    body = sse(tool(0, "c1", "f", first), *rest, finish("tool_calls"), DONE)
    assert StreamedTurn("chat", body).runs == [("f", ARGUMENTS[-1])]

    stream = [call("f", "", item_id="fc_1")]
    for end in ([call("f", ARGUMENTS[-1], item_id="fc_1")], []):
        deltas = [arguments(one, "fc_1", 0) for one in (first, *others)]
        body = plain({"type": "response.output_item.added", "item": stream[0]}, *deltas)
        assert StreamedTurn("responses", body + plain(completed(*end))).runs == [
            ("f", ARGUMENTS[-1])
        ]


@given(
    st.recursive(
        st.none() | st.text('a{"1'),
        lambda inner: st.dictionaries(st.text('a{"', max_size=3), inner),
    ),
    st.lists(st.integers(1, 3)),
)
def test_pieces_of_arguments_stay_what_they_are(value: Any, sizes: list[int]) -> None:
    whole = json.dumps({"a": value})
    ends = [
        *itertools.takewhile(lambda end: end < len(whole), itertools.accumulate(sizes)),
        len(whole),
    ]
    pieces = [whole[start:end] for start, end in itertools.pairwise([0, *ends])]
    body = sse(
        tool(0, "c1", "f", ""),
        *[tool(0, None, None, one) for one in pieces],
        finish("tool_calls"),
        DONE,
    )

    assert StreamedTurn("chat", body).runs == [("f", whole)]


@given(st.text(min_size=1), st.lists(st.integers(1, 5)))
def test_no_text_is_lost(text: str, sizes: list[int]) -> None:
    ends = itertools.accumulate(sizes)
    pieces = [text[start:end] for start, end in itertools.pairwise([0, *ends, len(text)])]
    deltas = WholeDeltas()
    said = "".join(map(deltas.feed, pieces)) + deltas.end(whole="".join(pieces))

    assert said == "".join(pieces)


def test_a_text_before_a_call_stands_before_it() -> None:
    texts = _grown("Let me look.", 3, 7)
    body = sse(
        *[delta(content=one) for one in texts], tool(0, "c", "f", "{}"), finish("tool_calls"), DONE
    )
    turn = StreamedTurn("chat", body).turn

    kinds = [(b["type"], b.get("text")) for b in turn["blocks"][:2]]
    assert kinds == [("text", "Let me look."), ("tool_call", None)]
