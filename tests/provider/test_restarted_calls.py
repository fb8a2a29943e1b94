"""A call that a server begins anew in mid-stream, at its index or at one that it never announced, runs once."""

from __future__ import annotations

import json
from typing import Any

import completions
import pytest
from completions import DONE, finish, tool
from hypothesis import given
from hypothesis import strategies as st
from responses import added, arguments, call, completed, done, plain
from streamed_turns import StreamedTurn

from msgbook.provider.pieces import RestartedArguments

WHOLE = '{"x": "a{b", "y": [{"x": 1}]}'
CUTS = [4, 9, 12, 20, 23, len(WHOLE)]
"""Ends of what came before, where no object can stand: after a key, in a text, after a comma, in a list, at the end."""
DOUBTFUL = [6, 19, 24]
"""Ends where an object like the first one may stand."""


def _chat(*chunks: Any) -> list[tuple[str, str]]:
    body = completions.sse(*chunks, finish("tool_calls"), DONE)
    return StreamedTurn("chat", body).runs


def _pieces(size: int) -> list[str]:
    return [WHOLE[at : at + size] for at in range(0, len(WHOLE), size)]


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("size", [4, 100])
@pytest.mark.parametrize("index", [0, 5, None])
@pytest.mark.parametrize("head", [("a", None), (None, None), ("", None), ("b", None)])
def test_a_call_of_chat_begun_anew_without_its_name_runs_once(
    cut: int, size: int, index: int | None, head: tuple[str | None, str | None]
) -> None:
    again = [tool(index, *head, piece) for piece in _pieces(size)]

    assert _chat(tool(0, "a", "f", WHOLE[:cut]), *again) == [("f", WHOLE)]


@pytest.mark.parametrize("cut", [*CUTS, *DOUBTFUL])
@pytest.mark.parametrize("size", [4, 7, 100])
@pytest.mark.parametrize("index", [1, 5])
@pytest.mark.parametrize("is_first", [True, False])
def test_a_call_of_chat_begun_anew_with_its_id_and_name_runs_once(
    cut: int, size: int, index: int, is_first: bool
) -> None:
    first, *others = [""] * is_first + _pieces(size)
    again = [tool(index, "a", "f", first), *(tool(index, None, None, one) for one in others)]

    assert _chat(tool(0, "a", "f", WHOLE[:cut]), *again) == [("f", WHOLE)]


@pytest.mark.parametrize("size", [4, 7, 100])
@pytest.mark.parametrize("index", [0, None])
def test_a_complete_call_of_chat_begun_anew_at_its_place_runs_once(
    size: int, index: int | None
) -> None:
    first, *others = _pieces(size)
    again = [tool(index, "a", "f", first), *(tool(index, None, None, one) for one in others)]

    assert _chat(tool(index, "a", "f", WHOLE), *again) == [("f", WHOLE)]


@pytest.mark.parametrize("other", ['{"x": "a{b", "y": []}', "{}", '{"z": 1}', ""])
@pytest.mark.parametrize("size", [1, 4, 100])
def test_another_call_under_the_same_id_runs_too(other: str, size: int) -> None:
    pieces = [other[at : at + size] for at in range(0, len(other), size)]
    more = [tool(1, "a", "f"), *(tool(1, None, None, piece) for piece in pieces)]

    assert _chat(tool(0, "a", "f", WHOLE), *more) == [("f", WHOLE), ("f", other)]


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("size", [4, 100])
@pytest.mark.parametrize("index", [0, 5])
@pytest.mark.parametrize("name", ["fc_1", "fc_9", ""])
@pytest.mark.parametrize("is_announced", [True, False])
def test_a_call_of_a_response_begun_anew_runs_once(
    cut: int, size: int, index: int, name: str, is_announced: bool
) -> None:
    begin = added(call("f", item_id="fc_1", call_id="c"), 0)
    stream = [begin, arguments(WHOLE[:cut], "fc_1", 0)]
    stream += [added(call("f", item_id="fc_1", call_id="c"), index)] * is_announced
    stream += [arguments(piece, name, index) for piece in _pieces(size)]
    end = call("f", WHOLE, item_id=name, call_id="c")
    said = StreamedTurn("responses", plain(*stream, done(end, index), completed(end))).said

    assert (said["runs"], said["notices"]) == ([("f", WHOLE)], [])


@pytest.mark.parametrize("cuts", [[4, 6, 9, 15], [1, 2, 3, 4, 5, 6, 7, 8, 20], [6, 8, 25]])
def test_arguments_that_come_whole_each_time_are_those_of_one_call(cuts: list[int]) -> None:
    first, *others = [WHOLE[:cut] for cut in [*cuts, len(WHOLE)]]

    assert _chat(tool(0, "a", "f", first), *(tool(0, None, None, one) for one in others)) == [("f", WHOLE)]  # fmt: skip


_JSON = st.recursive(
    st.integers(0, 9) | st.text('a{}[]":,\\', max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from("ab"), _JSON), st.lists(st.integers(1, 6), max_size=20))
def test_arguments_that_are_said_once_stay_as_they_are(values: Any, sizes: list[int]) -> None:
    whole = json.dumps(values)
    cuts = [sum(sizes[:n]) for n in range(len(sizes) + 1)]
    pieces = [whole[a:b] for a, b in zip(cuts, [*cuts[1:], len(whole)], strict=True)]
    restarted, said = RestartedArguments(), ""

    for piece in pieces:
        said += restarted.feed(piece, lambda said=said: said)
    assert said == whole
