"""Recorded streams as bad networks, gateways and hostile servers change them. Each seed gives the same change."""

from __future__ import annotations

import copy
from collections.abc import Callable
from random import Random
from typing import Any

from mistyped import places, with_value
from renumbered import read_events, write_events

Event = dict[str, Any]
Events = list[Event | str]

ODD: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    7,
    10**30,
    1.5,
    "",
    "odd",
    "\ud83d",
    "\x1b[2J",
    [],
    {},
    ["odd"],
    {"type": "odd"},
    [[[[[["odd"]]]]]],
)
_ADDED: tuple[Event | str, ...] = (
    {"type": "ping"},
    {"type": "content_block_stop", "index": 7},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 3, "delta": {"type": "odd_delta", "odd": "x"}},
    {"type": "message_start", "message": {"role": "assistant", "content": []}},
    {"type": "message_delta", "delta": {}},
    {"type": "odd_event", "data": [1]},
    {},
    ": a comment",
    "data: {oops",
    "data: [DONE]",
    "event: odd\ndata:",
    "data: 7",
    "retry: 10",
    "\x00",
)


def mutated(random: Random, body: bytes, others: list[bytes]) -> tuple[bytes, Events]:
    """Return a stream with up to four changes, and its events; none if the bytes were changed, too.

    Args:
        others: Streams whose events may come in between.
    """
    events = read_events(body)
    for _ in range(random.randint(1, 4)):
        random.choice(_CHANGES)(random, events, others)
    changed = write_events(events)
    if random.random() < 0.3:
        return random.choice(_BYTES)(random, changed), []
    return changed, events


def _drop(random: Random, events: Events, _others: list[bytes]) -> None:
    if events:
        del events[random.randrange(len(events))]


def _repeat(random: Random, events: Events, _others: list[bytes]) -> None:
    if events:
        place = random.randrange(len(events))
        events.insert(random.randint(place, len(events)), copy.deepcopy(events[place]))


def _move(random: Random, events: Events, _others: list[bytes]) -> None:
    if events:
        events.insert(random.randrange(len(events)), events.pop(random.randrange(len(events))))


def _shuffle(random: Random, events: Events, _others: list[bytes]) -> None:
    start = random.randint(0, len(events))
    part = events[start : start + 6]
    random.shuffle(part)
    events[start : start + 6] = part


def _add(random: Random, events: Events, _others: list[bytes]) -> None:
    events.insert(random.randint(0, len(events)), copy.deepcopy(random.choice(_ADDED)))


def _mix(random: Random, events: Events, others: list[bytes]) -> None:
    other = read_events(random.choice(others))
    for event in other[: random.randint(1, 8)]:
        events.insert(random.randint(0, len(events)), event)


def _change_value(random: Random, events: Events, _others: list[bytes]) -> None:
    found = [place for place, event in enumerate(events) if isinstance(event, dict) and event]
    if found:
        place = random.choice(found)
        event: Any = events[place]
        path = random.choice(list(places(event)))
        events[place] = with_value(event, path, random.choice(ODD))


def _drop_key(random: Random, events: Events, _others: list[bytes]) -> None:
    found = [place for place, event in enumerate(events) if isinstance(event, dict) and event]
    if found:
        place = random.choice(found)
        changed: Any = copy.deepcopy(events[place])
        path = random.choice(list(places(changed)))
        inner = changed
        for key in path[:-1]:
            inner = inner[key]
        del inner[path[-1]]
        events[place] = changed


def _renumber(random: Random, events: Events, _others: list[bytes]) -> None:
    numbers = [0, 1, 2, 3, None, "1", -1, 10**9]
    random.shuffle(numbers)
    for event in events:
        if isinstance(event, dict) and type(event.get("index")) is int:
            event["index"] = numbers[event["index"] % len(numbers)]


_CHANGES: tuple[Callable[[Random, Events, list[bytes]], None], ...] = (
    _drop,
    _repeat,
    _move,
    _shuffle,
    _add,
    _mix,
    _change_value,
    _change_value,
    _drop_key,
    _renumber,
)


def _cut(random: Random, body: bytes) -> bytes:
    return body[: random.randint(0, len(body))]


def _flip(random: Random, body: bytes) -> bytes:
    changed = bytearray(body)
    for _ in range(random.randint(1, 5) if changed else 0):
        changed[random.randrange(len(changed))] = random.randrange(256)
    return bytes(changed)


def _tear(random: Random, body: bytes) -> bytes:
    """Some bytes are lost."""
    start = random.randint(0, len(body))
    return body[:start] + body[start + random.randint(1, 200) :]


def _other_lines(random: Random, body: bytes) -> bytes:
    return body.replace(b"\n", random.choice((b"\r\n", b"\r", b"\n ", b"\n\n")))


_ENDS = ("message_stop", "error")

_BYTES: tuple[Callable[[Random, bytes], bytes], ...] = (_cut, _flip, _tear, _other_lines)


def pieces(events: Events) -> list[str]:
    """The pieces of text and of thinking that can be read in the events of Anthropic's API, up to their end or an error."""
    found = []
    for event in events:
        if isinstance(event, str) or "error" in event or event.get("type") in _ENDS:
            break
        if event.get("type") != "content_block_delta":
            continue
        delta = event.get("delta")
        kind = delta.get("type") if isinstance(delta, dict) else None
        key = {"text_delta": "text", "thinking_delta": "thinking"}.get(str(kind), "")
        if isinstance(delta, dict) and isinstance(delta.get(key), str):
            found.append(delta[key])
    return found
