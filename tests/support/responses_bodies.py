"""Complete bodies of chat answers, good and broken ones, as a server of the Responses API would send them."""

from __future__ import annotations

import json
from typing import Any

from responses_events import ResponseEvents, sse


def as_response(body: str, request: dict[str, Any], number: int = 1) -> str:
    """Return the body of an answer to a request; what is no answer of chat stays as it is.

    Args:
        number: Of the request; ids are made of it.
    """
    events = ResponseEvents(request, number)
    if body.startswith(("data:", ":")) and "data:" in body:
        return stream_of(body, events)
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        return body
    if not isinstance(answer, dict) or "choices" not in answer:
        return body
    made = [*events.feed(_as_chunk(answer)), *events.end(True)]
    return json.dumps(made[-1]["response"])


def stream_of(body: str, events: Any) -> str:
    """Return a stream of the chat API as that of the API whose events are made."""
    made = [sse(events.begin()).decode()]
    for event in filter(None, body.split("\n\n")):
        data = event.removeprefix("data:").strip()
        if data == "[DONE]":
            made.append(sse(events.end(True)).decode())
        else:
            try:
                made.append(sse(events.feed(json.loads(data))).decode())
            except ValueError:
                made.append(f"{event}\n\n")
    return "".join([*made, sse(events.end(False)).decode()])


def _as_chunk(answer: dict[str, Any]) -> dict[str, Any]:
    """Return a complete answer as one chunk."""
    choices = [{**choice, "delta": choice["message"]} for choice in answer["choices"]]
    return {**answer, "choices": choices}
