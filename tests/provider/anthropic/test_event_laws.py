"""Laws of the recorded streams of Anthropic's API: their order counts within a block, and what is sent besides does not."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

import pytest
from hypothesis import given
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


@given(st.data())
def test_pieces_of_several_blocks_may_be_mixed(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(STREAMS)))
    queues: dict[Any, list[Any]] = {}
    before, after = [], []
    for event in STREAMS[name]:
        if isinstance(event, dict) and "index" in event:
            queues.setdefault(event["index"], []).append(event)
        else:
            (after if queues else before).append(event)
    mixed = []
    while waiting := [queue for queue in queues.values() if queue]:
        # Blocks begin in their order, and each keeps its own.
        begun = [queue for queue in waiting if queue[0]["type"] != "content_block_start"]
        others = [queue for queue in waiting if queue not in begun][:1]
        mixed.append(data.draw(st.sampled_from([*begun, *others])).pop(0))

    turn = said([*before, *mixed, *after])

    for key in ("text", "notices"):
        assert Counter(turn.pop(key)) == Counter(unchanged(name)[key])
    assert turn.items() <= unchanged(name).items()
