"""Chunks of a chat completion as a server sends them, and what the decoder makes of them."""

from __future__ import annotations

import itertools
import json
from typing import Any

from msgbook.events import StreamEvent, ToolCallDelta
from msgbook.provider.chat.decode import CompletionDecoder

DONE = "data: [DONE]"


def sse(*chunks: Any, end: str = "\n") -> bytes:
    lines = (c if c == DONE else "data: " + json.dumps(c) for c in chunks)
    return "".join(line + end + end for line in lines).encode()


def delta(**fields: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": fields}]}


def tool(
    index: Any = 0, call_id: str | None = None, name: str | None = None, arguments: Any = ""
) -> Any:
    call: dict[str, Any] = {"function": {"arguments": arguments}}
    if index is not None:
        call["index"] = index
    if call_id is not None:
        call["id"] = call_id
    if name is not None:
        call["function"]["name"] = name
    return delta(tool_calls=[call])


def finish(reason: str | None = "stop") -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}


def decode(body: bytes, cuts: list[int] | None = None) -> list[StreamEvent]:
    numbers = itertools.count(1)
    decoder = CompletionDecoder(lambda: f"made_{next(numbers)}")
    places = [0, *sorted(cuts or []), len(body)]
    events: list[StreamEvent] = []
    for start, stop in itertools.pairwise(places):
        events += decoder.feed(body[start:stop])
    return events + list(decoder.end())


def words(events: list[StreamEvent], kind: type) -> str:
    return "".join(event.text for event in events if isinstance(event, kind))  # type: ignore[attr-defined]


def calls(events: list[StreamEvent]) -> list[tuple[str, str, str]]:
    found: dict[int, list[str]] = {}
    for event in events:
        if isinstance(event, ToolCallDelta):
            call = found.setdefault(event.index, [event.id, "", ""])
            call[1] += event.name
            call[2] += event.arguments
    return [(i, n, a) for i, n, a in found.values()]
