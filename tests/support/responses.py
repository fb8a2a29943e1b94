"""Events of a response as a server sends them, and what the decoder makes of them."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable
from typing import Any

from completions import calls

from msgbook.events import (
    Citations,
    ModelFinished,
    Notice,
    OutputItem,
    ReasoningDelta,
    StreamEvent,
    TextDelta,
)
from msgbook.provider.responses.decode import ResponseDecoder

Event = dict[str, Any]


def sse(*events: Event | str) -> bytes:
    """Events as OpenAI frames them, each with its name and a number; texts as they are."""
    framed = []
    for number, event in enumerate(events):
        if isinstance(event, str):
            framed.append(f"data: {event}\n\n")
        else:
            data = json.dumps({**event, "sequence_number": number})
            framed.append(f"event: {event['type']}\ndata: {data}\n\n")
    return "".join(framed).encode()


def plain(*events: Event) -> bytes:
    """Events without names and numbers."""
    return "".join(f"data: {json.dumps(event)}\n\n" for event in events).encode()


def event(kind: str, **fields: Any) -> Event:
    return {"type": f"response.{kind}", **fields}


def added(item: Event, index: int | None = 0) -> Event:
    return _placed("output_item.added", index, item=item)


def done(item: Event, index: int | None = 0) -> Event:
    return _placed("output_item.done", index, item=item)


def _placed(kind: str, index: int | None, **fields: Any) -> Event:
    place = {} if index is None else {"output_index": index}
    return event(kind, **place, **fields)


def text(words: str, item_id: str = "msg_1", index: int = 0, part: int = 0) -> Event:
    place = {"item_id": item_id, "output_index": index, "content_index": part}
    return event("output_text.delta", **place, delta=words)


def summary(words: str, item_id: str = "rs_1", index: int = 0, part: int = 0) -> Event:
    place = {"item_id": item_id, "output_index": index, "summary_index": part}
    return event("reasoning_summary_text.delta", **place, delta=words)


def thought(words: str, item_id: str = "rs_1", index: int = 0, part: int = 0) -> Event:
    place = {"item_id": item_id, "output_index": index, "content_index": part}
    return event("reasoning_text.delta", **place, delta=words)


def arguments(piece: str, item_id: str = "fc_1", index: int = 0) -> Event:
    place = {"item_id": item_id, "output_index": index}
    return event("function_call_arguments.delta", **place, delta=piece)


def message(words: str = "", item_id: str = "msg_1", **keys: Any) -> Event:
    part = {"type": "output_text", "text": words, "annotations": []}
    head = {"type": "message", "id": item_id, "role": "assistant", "status": "completed"}
    return {**head, "content": [part] if words else [], **keys}


def reasoning(words: str = "", item_id: str = "rs_1", **keys: Any) -> Event:
    parts = [{"type": "summary_text", "text": words}] if words else []
    return {"type": "reasoning", "id": item_id, "summary": parts, **keys}


def call(name: str = "read", args: str = "", item_id: str = "fc_1", **keys: Any) -> Event:
    ids = {"id": item_id, "call_id": item_id.replace("fc", "call")}
    head = {"type": "function_call", "status": "completed", **ids}
    return {**head, "name": name, "arguments": args, **keys}


def response(*output: Event, status: str = "completed", **keys: Any) -> Event:
    head = {
        "id": "resp_1",
        "object": "response",
        "status": status,
        "model": "m-2026",
        "error": None,
    }
    return {**head, "output": list(output), "usage": None, **keys}


def completed(*output: Event, **keys: Any) -> Event:
    whole = response(*output, **keys)
    return event(whole["status"], response=whole)


def decode(body: bytes, cuts: Iterable[int] = ()) -> list[StreamEvent]:
    numbers = itertools.count(1)
    decoder = ResponseDecoder(lambda: f"made_{next(numbers)}")
    events: list[StreamEvent] = []
    for start, stop in itertools.pairwise([0, *sorted(cuts), len(body)]):
        events += decoder.feed(body[start:stop])
    return events + list(decoder.end())


def merged(events: list[StreamEvent]) -> list[Any]:
    """What a reader and the server get of the events, however the texts are cut."""
    found: list[Any] = []
    for one in events:
        match one:
            case ReasoningDelta(text=words, field=kind) if words:
                _grow(found, "reasoning", kind, words)
            case TextDelta(text=words, refusal=refusal) if words:
                _grow(found, "text", "refusal" if refusal else "", words)
            case OutputItem(item=item):
                found.append(("item", item))
            case Citations(citations=sources):
                found.append(("citations", sources))
            case Notice(text=words):
                found.append(("notice", words))
    return [tuple(one) for one in [*found, *(("call", *made) for made in calls(events))]]


def _grow(found: list[Any], *piece: str) -> None:
    *kind, words = piece
    if found and list(found[-1][:-1]) == kind:
        found[-1] = [*kind, found[-1][-1] + words]
    else:
        found.append([*kind, words])


def end(events: list[StreamEvent]) -> ModelFinished:
    last = events[-1]
    assert isinstance(last, ModelFinished)
    return last


THOUGHT = reasoning("let me see", encrypted_content="c2VhbGVk")
WORDS = message("Hello, 漢字 🎉")
READ = call("read", '{"a": 1}')
USAGE = {
    "input_tokens": 9,
    "input_tokens_details": {"cached_tokens": 4},
    "output_tokens": 7,
    "output_tokens_details": {"reasoning_tokens": 3},
    "total_tokens": 16,
}
STREAM = (
    event("created", response=response(status="in_progress")),
    added(reasoning()),
    summary("let me "),
    summary("see"),
    done(THOUGHT),
    added(message(), 1),
    event("content_part.added", item_id="msg_1", part={"type": "output_text", "text": ""}),
    text("Hello", index=1),
    text(", 漢字 🎉", index=1),
    event("output_text.done", item_id="msg_1", content_index=0, text="Hello, 漢字 🎉"),
    done(WORDS, 1),
    added(call(), 2),
    arguments('{"a"', index=2),
    arguments(": 1}", index=2),
    event("function_call_arguments.done", item_id="fc_1", arguments='{"a": 1}'),
    done(READ, 2),
    completed(THOUGHT, WORDS, READ, usage=USAGE),
)
SAID: list[Any] = [
    ("reasoning", "summary", "let me see"),
    ("item", {"type": "reasoning", "id": "rs_1", "encrypted_content": "c2VhbGVk"}),
    ("text", "", "Hello, 漢字 🎉"),
    ("call", "call_1", "read", '{"a": 1}'),
]
