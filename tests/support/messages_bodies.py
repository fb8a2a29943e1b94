"""Complete bodies of chat answers, good and broken ones, as a server of Anthropic's API would send them."""

from __future__ import annotations

import json
from typing import Any

from messages_events import MessageEvents
from messages_stream import error_body
from responses_bodies import stream_of


def as_message(body: str, request: dict[str, Any], number: int = 1, status: int = 200) -> str:
    """Return the body of an answer to a request; what is no answer or error of chat stays as it is.

    Args:
        number: Of the request; ids are made of it.
        status: Of the answer; the type of an error follows from it.
    """
    events = MessageEvents(request, number)
    if body.startswith(("data:", ":")) and "data:" in body:
        return stream_of(body, events)
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        return body
    if not isinstance(answer, dict):
        return body
    error = answer.get("error")
    if isinstance(error, dict) and answer.get("type") != "error" and "message" in error:
        rest = {key: value for key, value in error.items() if key not in ("message", "type")}
        return json.dumps(error_body(status, error["message"], **rest))
    return json.dumps(_message(answer, events)) if "choices" in answer else body


def _message(answer: dict[str, Any], events: MessageEvents) -> dict[str, Any]:
    """Return a complete answer of chat as a message that was not streamed."""
    (begin,) = events.begin()
    choices = [{**choice, "delta": choice["message"]} for choice in answer["choices"]]
    made = [*events.feed({**answer, "choices": choices}), *events.end(True)]
    if made[-1]["type"] == "error":
        return made[-1]
    end = made[-2]
    usage = {"usage": end["usage"]} if "usage" in end else {}
    return {**begin["message"], **end["delta"], "content": events.stream.content, **usage}
