"""Tool calls put together from their pieces, whatever the server leaves out or uses twice."""

from __future__ import annotations

import pytest
from completions import calls, decode, delta, finish, sse, tool

from msgbook.errors import ProviderError
from msgbook.events import ToolCallDelta
from msgbook.provider.tool_call_pieces import MAX_CALLS


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
    signed = tool(0, "c", "f", "[]")
    signed["choices"][0]["delta"]["tool_calls"][0]["extra_content"] = signature

    assert decode(sse(signed))[0] == ToolCallDelta(0, "c", "f", "[]", {"extra_content": signature})


def test_a_character_cut_in_two_in_arguments_is_joined():
    pieces = [tool(0, "c", "f", '"\ud83d'), tool(0, None, None, '\ude00"')]

    assert calls(decode(sse(*pieces))) == [("c", "f", '"😀"')]


def test_calls_without_end_are_refused():
    body = sse(*(tool(i, f"c{i}", "f", "") for i in range(MAX_CALLS + 1)))

    with pytest.raises(ProviderError, match="more than"):
        decode(body)


@pytest.mark.parametrize(
    ("chunks", "expected"),
    [
        ([tool(0, "a", "f", '{"x": 1}'), tool(0, "a", "f", '{"x": 1}')], [("a", "f", '{"x": 1}')]),
        ([tool(0, "a", "f", '{"x": 1}'), tool(1, "a", "f", '{"x": 1}')], [("a", "f", '{"x": 1}')]),
        (
            [tool(0, "a", "f", '{"x": 1}'), tool(0, "a", "f", '{"x": 2}')],
            [("a", "f", '{"x": 1}'), ("made_1", "f", '{"x": 2}')],
        ),
        (
            [tool(0, "a", "f", '{"x": 1}'), tool(1, "a", "f", '{"x": 2}')],
            [("a", "f", '{"x": 1}'), ("made_1", "f", '{"x": 2}')],
        ),
        (
            [tool(0, "a", "f", '{"x"'), tool(0, "b", "f", ": 1}")],
            [("a", "f", '{"x": 1}')],
        ),
        (
            [tool(0, "a", "f", "{}"), tool(0, "b", "f", '{"x": 1}')],
            [("a", "f", "{}"), ("b", "f", '{"x": 1}')],
        ),
        ([tool(0, "a", "f", '{"x"'), tool(1, None, None, ": 1}")], [("a", "f", '{"x": 1}')]),
        (
            [tool(None, "a", "f", "{}"), tool(None, "a", "g", "{}")],
            [("a", "f", "{}"), ("made_1", "g", "{}")],
        ),
    ],
    ids=[
        "said again",
        "said again at another index",
        "two with one id",
        "two with one id at two indexes",
        "an id for each piece",
        "two at one index",
        "an index for each piece",
        "two names with one id",
    ],
)
def test_a_call_is_made_once_however_its_pieces_are_numbered(chunks, expected):
    assert calls(decode(sse(*chunks))) == expected
