"""A response whose events come twice under other sequence numbers is shown, saved and run once."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import responses
from renumbered import read_events, write_events
from responses import added, arguments, call, completed, done, message, plain, text
from streamed_turns import StreamedTurn, recorded_streams

Events = list[Any]

STREAMS = {
    name: body
    for name, (api, body) in recorded_streams().items()
    if api == "responses" and not name.endswith(("reasoning-small", "text-small"))
}
"""Those that say where they begin. Nothing tells a piece that comes again from a word that is said twice."""


def _numbered(events: Events, first: int) -> Events:
    """Copies of events, numbered from `first` on if they have numbers."""
    copies = copy.deepcopy(events)
    for number, event in enumerate(copies, first):
        if isinstance(event, dict) and "sequence_number" in event:
            event["sequence_number"] = number
    return copies


def _body_and_end(events: Events) -> tuple[Events, Events]:
    ends = ("response.completed", "response.incomplete", "response.failed")
    is_end = [isinstance(event, str) or event["type"] in ends for event in events]
    at = is_end.index(True) if True in is_end else len(events)
    return events[:at], events[at:]


def each_event(events: Events) -> Events:
    return _numbered([event for event in events for _ in range(2)], 0)


def the_whole(events: Events) -> Events:
    body, end = _body_and_end(events)
    return body + _numbered(body, 1000) + end


def from_the_middle(events: Events) -> Events:
    body, _ = _body_and_end(events)
    return body[: len(body) // 2] + _numbered(events, 1000)


def three_times(events: Events) -> Events:
    body, end = _body_and_end(events)
    return (
        body[: len(body) // 3]
        + _numbered(body[: len(body) // 2], 1000)
        + _numbered(body, 2000)
        + end
    )


def side_by_side(events: Events) -> Events:
    """A second relay that is two events behind."""
    body, end = _body_and_end(events)

    def woven() -> Iterator[Any]:
        for place, event in enumerate(body):
            yield event
            yield from _numbered(body[place - 2 : place - 1], 1000) if place >= 2 else ()

    return [*woven(), *_numbered(body[-2:], 2000), *end]


def without_numbers(events: Events) -> Events:
    twice = the_whole(events)
    for event in twice:
        if isinstance(event, dict):
            event.pop("sequence_number", None)
    return twice


WAYS = [each_event, the_whole, from_the_middle, three_times, side_by_side, without_numbers]


@pytest.mark.parametrize("again", WAYS)
@pytest.mark.parametrize("name", STREAMS)
def test_events_that_come_again_change_no_turn(
    name: str, again: Callable[[Events], Events]
) -> None:
    body = STREAMS[name]

    twice = StreamedTurn("responses", write_events(again(read_events(body))))

    assert twice.said == StreamedTurn("responses", body).said


@pytest.mark.parametrize("again", [1, 3])
def test_words_after_a_new_beginning_may_be_those_before_it(again: int) -> None:
    begin = [responses.event("created", response={"id": "r", "output": []}), added(message())]
    words = [text(word) for word in ("one ", "two ", "one ", "one ", "two ", "two ", "one ")]

    stream = [*begin, *words[:again], *begin, *words, completed()]

    said = StreamedTurn("responses", plain(*stream)).said
    assert said["text"] == "one two one one two two one "


def test_pieces_and_calls_that_are_alike_stay() -> None:
    calls = [call("f", "{}", item_id=f"fc_{n}", call_id=f"c{n}") for n in (1, 2)]
    stream = [
        responses.event("created", response={"id": "r", "output": []}),
        added(message(item_id="m")),
        *[text("ha ", "m")] * 3,
        done(message("ha ha ha ", item_id="m")),
    ]
    for n, one in enumerate(calls, 1):
        stream += [
            added(call("f", "", item_id=one["id"], call_id=one["call_id"]), n),
            arguments("{}", one["id"], n),
            done(one, n),
        ]
    said = StreamedTurn("responses", plain(*stream, completed())).said

    assert said["text"] == "ha ha ha "
    assert said["runs"] == [("f", "{}"), ("f", "{}")]
