"""Every recorded stream with each of its values of another type: no error but ours, nothing lost or made up."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from mistyped import VALUES, places, with_value
from renumbered import read_events, write_events
from streamed_turns import decoded_turn, recorded_streams

STREAMS = {name: one for name, one in recorded_streams().items() if len(one[1]) < 8_000}
PIECES = ("delta", "content", "reasoning_content", "reasoning", "arguments")
BLOCK_PIECES = (("delta", "text"), ("delta", "thinking"))
"""Places of the pieces in an event of Anthropic's API."""


def said(turn: Any, error: str) -> str:
    """All that a reader sees of a turn."""
    keys = ("text", "arguments", "name", "message")
    return error + "".join(str(block.get(key, "")) for block in turn["blocks"] for key in keys)


def pieces(value: Any) -> Counter[str]:
    """The pieces of text in an event, but for those that others say again."""
    found: Counter[str] = Counter()
    for path in places(value):
        inner: Any = value
        for key in path:
            inner = inner[key]
        if (path[-1] in PIECES or path in BLOCK_PIECES) and isinstance(inner, str):
            found[inner] += 1
    return found


def calls(turn: Any) -> Counter[str]:
    return Counter(b["name"] for b in turn["blocks"] if b["type"] == "tool_call" and b["name"])


@pytest.mark.parametrize("name", STREAMS)
def test_a_value_of_another_type_is_no_error_and_loses_and_adds_nothing(name: str) -> None:
    api, body = STREAMS[name]
    events = read_events(body)
    announced = calls(decoded_turn(api, body)[0])
    shapes: Counter[Any] = Counter()
    for number, event in enumerate(events):
        if isinstance(event, str):
            continue
        # Of events of the same shape, the first ones show what there is to see.
        shapes[shape := (event.get("type"), tuple(places(event)))] += 1
        if shapes[shape] > 2:
            continue
        others = [
            pieces(e) for e in events if isinstance(e, dict) and e is not event and not _is_whole(e)
        ]
        for path in places(event):
            for value in VALUES.values():
                changed = [*events[:number], with_value(event, path, value), *events[number + 1 :]]
                turn, error = decoded_turn(api, write_events(changed))
                where = (path, value)

                json.dumps(turn)
                more = calls(turn) - announced
                assert set(more) <= {"odd"}, where
                assert sum(calls(turn).values()) <= sum(announced.values()), where
                words = said(turn, error).replace("\\", "")
                if not error:
                    lost = [
                        word
                        for found in others
                        for word in found
                        if word.replace("\\", "") not in words
                    ]
                    assert not lost, where


def _is_whole(event: dict[str, Any]) -> bool:
    return "response" in event or "item" in event
