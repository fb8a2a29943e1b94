"""Laws of every recorded stream: however a server numbers it, the turn is the same; nothing comes twice."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from renumbered import (
    CHAT,
    CHAT_NAMES,
    MESSAGES,
    MESSAGES_NAMES,
    NAMES,
    RESPONSES,
    renumbered,
)
from streamed_turns import StreamedTurn, recorded_streams

STREAMS = recorded_streams()
ORDERED = [name for name in STREAMS if "two-reasonings" not in name]
"""Streams that name one item after the other. Nothing but its name tells an item from one side by side."""
NUMBERS = {"chat": CHAT, "responses": RESPONSES, "anthropic": MESSAGES}
NAMERS = {"chat": CHAT_NAMES, "responses": NAMES, "anthropic": MESSAGES_NAMES}


@cache
def unchanged(name: str) -> dict[str, Any]:
    return StreamedTurn(*STREAMS[name]).said


@pytest.mark.parametrize("name", STREAMS)
def test_one_change_of_numbers_changes_no_turn(name: str) -> None:
    api, body = STREAMS[name]

    for change in NUMBERS[api].values():
        assert StreamedTurn(api, renumbered(body, change)).said == unchanged(name), change


@pytest.mark.parametrize("name", ORDERED)
def test_one_change_of_names_changes_no_turn(name: str) -> None:
    api, body = STREAMS[name]

    for words, change in NAMERS[api].items():
        assert StreamedTurn(api, renumbered(body, change)).said == unchanged(name), words


def said_twice(events: list[dict[str, Any]]) -> None:
    for event in events:
        for choice in event.get("choices") or []:
            if "message" not in choice:
                choice["message"] = choice.get("delta")


@pytest.mark.parametrize("name", [name for name in STREAMS if STREAMS[name][0] == "chat"])
def test_a_delta_that_is_also_the_message_of_its_chunk_changes_no_turn(name: str) -> None:
    api, body = STREAMS[name]

    assert StreamedTurn(api, renumbered(body, said_twice)).said == unchanged(name)


STRAY = [*map(str.encode, ("\0", "\ufeff", "\u200b", "\x1e", "\0\0\0", "\ufeff \0")), b"\xff", b"\x80\0"]  # fmt: skip


@pytest.mark.parametrize("name", STREAMS)
def test_bytes_around_a_line_that_nobody_sees_change_no_turn(name: str) -> None:
    api, body = STREAMS[name]
    lines = body.split(b"\n")

    for stray in STRAY:
        for before, after in ((stray, b""), (b"", stray)):
            around = b"\n".join(before + line + after if line else line for line in lines)
            assert StreamedTurn(api, around).said == unchanged(name), (before, after)


@st.composite
def changed(draw: st.DrawFn) -> tuple[str, list[str], str | None]:
    """A stream, changes of its numbers in any order, and at most one of its names."""
    name = draw(st.sampled_from(ORDERED))
    api, _ = STREAMS[name]
    numbers = draw(st.lists(st.sampled_from(sorted(NUMBERS[api])), unique=True, max_size=5))
    return name, numbers, draw(st.none() | st.sampled_from(sorted(NAMERS[api])))


@given(changed())
@example(("anthropic/code-execution", ["index as text", "index from 1"], None))
@example(("anthropic/code-execution", ["index as text", "index of tens"], None))
def test_no_changes_together_change_a_turn(drawn: tuple[str, list[str], str | None]) -> None:
    name, numbers, namer = drawn
    api, body = STREAMS[name]

    changes = [NUMBERS[api][one] for one in numbers]
    changes += [NAMERS[api][namer]] if namer else []
    assert StreamedTurn(api, renumbered(body, *changes)).said == unchanged(name)


@given(st.sampled_from(sorted(STREAMS)), st.integers(1, 200))
def test_no_cut_of_the_bytes_changes_a_turn(name: str, reads: int) -> None:
    assert StreamedTurn(*STREAMS[name], reads=reads).said == unchanged(name)
