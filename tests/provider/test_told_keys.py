"""Every recorded stream with words under a key that nobody knows, at each place of an answer: they are told once."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from mistyped import places, with_value
from renumbered import read_events, write_events
from streamed_turns import decoded_turn, recorded_streams

STREAMS = {name: one for name, one in recorded_streams().items() if len(one[1]) < 8_000}
WORDS = "a quokka says hello"
PARTS = ("choices", "delta", "message", "part", "item", "content_block")
"""Keys of the objects of an answer; what stands in others is data."""
WHOLE = ("tool_use", "_call", "_result", "compaction", "redacted_thinking")
"""Ends of types of items and blocks that are kept whole, or quoted."""


def spoken_places(event: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Return the places of the objects of an event in which a server speaks to a reader, the event itself first."""
    found: list[tuple[Any, ...]] = [] if "error" in event else [()]
    for path in places(event):
        inner: Any = event
        for key in path:
            inner = inner[key]
        names = [key for key in path if isinstance(key, str)]
        if not isinstance(inner, dict) or not set(names) <= set(PARTS) or "error" in inner:
            continue
        if not str(inner.get("type")).endswith(WHOLE):
            found.append(path)
    return found


@pytest.mark.parametrize("key", ["advice", "warning"])
@pytest.mark.parametrize("name", STREAMS)
def test_words_under_a_key_that_nobody_knows_are_told(name: str, key: str) -> None:
    api, body = STREAMS[name]
    events = read_events(body)
    shapes: Counter[Any] = Counter()
    for number, event in enumerate(events):
        if isinstance(event, str) or event.get("type") == "ping":
            continue
        shapes[shape := (event.get("type"), tuple(places(event)))] += 1
        if shapes[shape] > 1:
            continue
        for path in spoken_places(event):
            changed = with_value(event, (*path, key), WORDS)
            turn, error = decoded_turn(
                api, write_events([*events[:number], changed, *events[number + 1 :]])
            )

            told = [block["text"] for block in turn["blocks"] if block["type"] == "notice"]
            assert "".join([error, *told]).count(WORDS) == 1, (number, event, path)
