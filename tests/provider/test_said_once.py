"""Nothing that a server says again, in other words for the same, is shown or run a second time."""

from __future__ import annotations

import json
from typing import Any

import pytest
from completions import DONE, delta, finish, sse, tool
from streamed_turns import StreamedTurn

ARGUMENTS = {"a": 1, "b": ["é", None]}
SPELLINGS: list[Any] = [
    json.dumps(ARGUMENTS),
    json.dumps(ARGUMENTS, separators=(",", ":"), ensure_ascii=False),
    json.dumps(ARGUMENTS, indent=2),
    json.dumps(dict(reversed(ARGUMENTS.items()))),
    ARGUMENTS,
]


def _call(arguments: Any, call_id: str = "x9") -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": "f", "arguments": arguments}}


def _last(reason: str = "tool_calls", **fields: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "finish_reason": reason, **fields}]}


def _echoes(arguments: Any) -> dict[str, Any]:
    call = _call(arguments)
    legacy = call["function"]
    return {
        "message": _last(message={"content": "", "tool_calls": [call]}),
        "message with an empty delta": _last(delta={}, message={"tool_calls": [call]}),
        "message of the old kind": _last(message={"function_call": legacy}),
        "message of both kinds": _last(message={"function_call": legacy, "tool_calls": [call]}),
        "delta with the end": _last(delta={"tool_calls": [{"index": 0, **call}]}),
        "delta with the end, no index": _last(delta={"tool_calls": [call]}),
        "old kind with the end": _last(delta={"function_call": legacy}),
    }


@pytest.mark.parametrize("arguments", SPELLINGS)
@pytest.mark.parametrize("echo", _echoes("{}"))
def test_a_call_of_a_chat_that_comes_again_runs_once(echo: str, arguments: Any) -> None:
    for first in (tool(0, "c1", "f", SPELLINGS[0]), delta(tool_calls=[_call(ARGUMENTS, "c1")])):
        body = sse(first, _echoes(arguments)[echo], DONE)

        runs = StreamedTurn("chat", body).runs
        assert [(name, json.loads(given)) for name, given in runs] == [("f", ARGUMENTS)]


TWICE: dict[str, tuple[list[dict[str, Any]], dict[str, Any]]] = {
    "content": (
        [{"content": piece} for piece in ("Hel", "lo you", "!")],
        {"text": "Hello you!"},
    ),
    "content that begins with itself": (
        [{"content": "ha"}, {"content": "ha"}, {"content": "haha"}],
        {"text": "hahahaha"},
    ),
    "content with a tag in two pieces": (
        [{"content": piece} for piece in ("<thi", "nk>hm</think>", "Hi")],
        {"text": "Hi", "reasoning": ["hm"]},
    ),
    "reasoning": (
        [{"reasoning_content": piece} for piece in ("I ", "think", " so")],
        {"reasoning": ["I think so"]},
    ),
    "reasoning, then content": (
        [{"reasoning": "I "}, {"reasoning": "think"}, {"content": "Hel"}, {"content": "lo"}],
        {"reasoning": ["I think"], "text": "Hello"},
    ),
    "a call": (
        [
            {"tool_calls": [{"index": 0, "id": "c", "function": {"name": "f", "arguments": ""}}]},
            {"tool_calls": [{"index": 0, "function": {"arguments": '{"a"'}}]},
            {"tool_calls": [{"index": 0, "function": {"arguments": ": 1}"}}]},
        ],
        {"runs": [("f", '{"a": 1}')]},
    ),
    "a refusal": ([{"refusal": "No, "}, {"refusal": "never"}], {"text": "No, never"}),
    "a key that nobody knows": ([{"content": "Hi"}, {"advice": "a quokka"}], {"text": "Hi"}),
}
"""Pieces that a server sends under `delta` and under `message`, and what they say."""
PREAMBLES: list[dict[str, Any]] = [{"role": "assistant"}, {"role": "assistant", "content": ""}]


def _twice(piece: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": piece, "message": piece, **fields}]}


@pytest.mark.parametrize("ends_with_piece", [False, True])
@pytest.mark.parametrize("preamble", [None, *PREAMBLES])
@pytest.mark.parametrize(("pieces", "words"), TWICE.values(), ids=TWICE)
def test_pieces_in_the_delta_and_in_the_message_are_said_once(
    pieces: list[dict[str, Any]], words: dict[str, Any], preamble: Any, ends_with_piece: bool
) -> None:
    reason = "tool_calls" if "runs" in words else "stop"
    ends = {"finish_reason": reason} if ends_with_piece else {}
    chunks = [delta(**piece) for piece in pieces[:-1]]
    once = [*chunks, {"choices": [{"index": 0, "delta": pieces[-1], **ends}]}]
    again = [*map(_twice, pieces[:-1]), _twice(pieces[-1], **ends)]
    if preamble is not None:
        once, again = [delta(**preamble), *once], [_twice(preamble), *again]
    ending = [] if ends else [finish(reason)]

    said = StreamedTurn("chat", sse(*again, *ending, DONE)).said

    assert said == StreamedTurn("chat", sse(*once, *ending, DONE)).said
    assert {key: said[key] for key in words} == words


@pytest.mark.parametrize("is_whole_in_delta", [False, True])
def test_a_whole_message_after_pieces_is_said_once(is_whole_in_delta: bool) -> None:
    pieces = [delta(reasoning="hm, "), delta(reasoning="so"), delta(content="Hi"), tool(0, "c", "f", "{}")]  # fmt: skip
    whole = {"reasoning": "hm, so", "content": "Hi you", "tool_calls": [_call("{}", "c")]}
    last = _last(delta=whole if is_whole_in_delta else {}, message=whole)

    said = StreamedTurn("chat", sse(*pieces, last, DONE)).said

    assert (said["reasoning"], said["text"], said["notices"]) == (["hm, so"], "Hi you", [])
    assert said["runs"] == [("f", "{}")]


def test_a_function_call_beside_tool_calls_is_no_second_call() -> None:
    pieces = [{"name": "f", "arguments": '{"a"'}, {"arguments": ": 1}"}]
    both = [
        delta(function_call=piece, tool_calls=[{"index": 0, "id": "c", "function": piece}])
        for piece in pieces
    ]

    assert StreamedTurn("chat", sse(*both, finish("tool_calls"), DONE)).runs == [("f", '{"a": 1}')]


def test_a_message_with_one_more_call_of_the_same_kind_adds_that_one() -> None:
    calls = [_call("{}", "c1"), _call("{}", "c2")]
    body = sse(tool(0, "c1", "f", "{}"), _last(message={"tool_calls": calls}), DONE)

    assert StreamedTurn("chat", body).runs == [("f", "{}")] * 2


def test_two_like_calls_in_one_chunk_are_two() -> None:
    calls = [{"index": n, **_call("{}", f"c{n}")} for n in (0, 1)]
    body = sse(_last(delta={"tool_calls": calls}), DONE)

    assert StreamedTurn("chat", body).runs == [("f", "{}")] * 2


@pytest.mark.parametrize("first", [{"role": "assistant"}, {"role": "assistant", "content": ""}])
def test_a_message_beside_a_delta_is_read(first: dict[str, Any]) -> None:
    whole = {"content": "Hello", "reasoning": "hm", "refusal": "", "tool_calls": [_call("{}")]}
    body = sse(_last(delta=first, message=whole), DONE)
    turn = StreamedTurn("chat", body)

    assert (turn.said["text"], turn.said["reasoning"], turn.runs) == (
        "Hello",
        ["hm"],
        [("f", "{}")],
    )


def test_a_message_repeats_no_reasoning_under_another_key() -> None:
    whole = {"content": "Hello", "reasoning": "hm", "thinking_blocks": [{"thinking": "hm"}]}
    body = sse(delta(reasoning_content="hm"), delta(content="Hello"), _last("stop", message=whole))

    said = StreamedTurn("chat", body).said
    assert (said["text"], said["reasoning"], said["notices"]) == ("Hello", ["hm"], [])


def test_a_call_of_a_message_with_other_arguments_at_the_same_place_is_no_second_call() -> None:
    body = sse(tool(0, "c1", "f", "{}"), _last(message={"tool_calls": [_call('{"a": 2}', "c2")]}))
    said = StreamedTurn("chat", body + b"data: [DONE]\n\n").said

    assert said["runs"] == [("f", "{}")]
    assert '\\"a\\": 2' in said["notices"][0]


def test_a_call_of_another_name_in_a_message_runs_too() -> None:
    other = {"id": "c2", "function": {"name": "g", "arguments": "{}"}}
    body = sse(tool(0, "c1", "f", "{}"), _last(message={"tool_calls": [other]}), DONE)

    assert StreamedTurn("chat", body).runs == [("f", "{}"), ("g", "{}")]
