"""Laws of the recorded streams of Anthropic's API: their order counts within a block, and what is sent besides does not."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import cycle
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from renumbered import read_events, write_events
from streamed_turns import StreamedTurn, recorded_streams

STREAMS = {
    name: read_events(body)
    for name, (api, body) in recorded_streams().items()
    if api == "anthropic" and len(body) < 8_000
}
UNKNOWN = {"type": "odd_event", "index": 0, "odd": {"text": "x"}}


def said(events: list[Any]) -> dict[str, Any]:
    return StreamedTurn("anthropic", write_events(events)).said


@cache
def unchanged(name: str) -> dict[str, Any]:
    return said(STREAMS[name])


@pytest.mark.parametrize("name", STREAMS)
def test_all_but_pieces_may_come_twice(name: str) -> None:
    events = [
        event
        for event in STREAMS[name]
        for _ in range(1 if "content_block_delta" in str(event) else 2)
    ]

    assert said(events) == unchanged(name)


@pytest.mark.parametrize("name", STREAMS)
def test_signs_of_life_come_anywhere(name: str) -> None:
    noise = ({"type": "ping"}, ": comment", 'event: ping\ndata: {"type": "ping"}')
    events = [one for event in STREAMS[name] for one in (*noise, event)]

    assert said([*events, *noise]) == unchanged(name)


@pytest.mark.parametrize("name", sorted(STREAMS.keys() - {"anthropic/error-at-once"}))
def test_events_that_nobody_knows_are_one_notice(name: str) -> None:
    events = [one for event in STREAMS[name] for one in (UNKNOWN, event)]

    turn = said(events)

    more = turn["notices"][len(unchanged(name)["notices"]) :]
    assert [notice.partition(" (")[0] for notice in more] == [
        "Ignored unknown events from the server: `odd_event`"
    ]
    assert {**turn, "notices": unchanged(name)["notices"]} == unchanged(name)


def mixed(events: list[Any], choices: list[int]) -> list[Any]:
    """Events with the pieces of several blocks mixed. Blocks begin in their order, and each keeps its own.

    Args:
        choices: Where the next event is taken from: the next block to begin, and the begun ones after it.
    """
    queues: dict[Any, list[Any]] = {}
    before, after, found = [], [], []
    for event in events:
        if isinstance(event, dict) and "index" in event:
            queues.setdefault(event["index"], []).append(event)
        else:
            (after if queues else before).append(event)
    for choice in cycle(choices):
        waiting = [queue for queue in queues.values() if queue]
        if not waiting:
            break
        begun = [queue for queue in waiting if queue[0]["type"] != "content_block_start"]
        sources = [queue for queue in waiting if queue not in begun][:1] + begun
        found.append(sources[choice % len(sources)].pop(0))
    return [*before, *found, *after]


@given(st.sampled_from(sorted(STREAMS)), st.lists(st.integers(0, 9), min_size=20, max_size=60))
@example("anthropic/interleaved", [0, 0, 0, 0, 4])  # the second thought speaks first
def test_pieces_of_several_blocks_may_be_mixed(name: str, choices: list[int]) -> None:
    turn = said(mixed(STREAMS[name], choices))

    # Words are kept in the order of arrival: a block that begins later may speak first. Each thought stays whole.
    for key in ("text", "notices", "reasoning"):
        assert Counter(turn.pop(key)) == Counter(unchanged(name)[key])
    assert turn.items() <= unchanged(name).items()
