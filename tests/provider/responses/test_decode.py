"""Responses as servers send them, decoded from bytes to the events of a turn."""

from __future__ import annotations

import json

from responses import (
    added,
    arguments,
    call,
    completed,
    decode,
    done,
    end,
    event,
    merged,
    message,
    reasoning,
    response,
    sse,
    summary,
    text,
)

from msgbook.events import ModelFinished

THOUGHT = reasoning("let me see", encrypted_content="c2VhbGVk")
WORDS = message("Hello")
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
    text("Hel", index=1),
    text("lo", index=1),
    done(WORDS, 1),
    added(call(), 2),
    arguments('{"a"', index=2),
    arguments(": 1}", index=2),
    done(READ, 2),
    completed(THOUGHT, WORDS, READ, usage=USAGE),
)
SAID = [
    ("reasoning", "summary", "let me see"),
    ("item", {"type": "reasoning", "id": "rs_1", "encrypted_content": "c2VhbGVk"}),
    ("text", "", "Hello"),
    ("call", "call_1", "read", '{"a": 1}'),
]
END = ModelFinished(
    "tool_calls",
    True,
    {"input_tokens": 9, "cached_tokens": 4, "output_tokens": 7, "reasoning_tokens": 3},
    model="m-2026",
)


def test_reasoning_text_and_calls_come_with_usage_and_the_model_that_answered():
    events = decode(sse(*STREAM))

    assert merged(events) == SAID
    assert end(events) == END


def test_the_complete_response_alone_says_the_same():
    streamed = decode(sse(STREAM[-1]))
    whole = decode(json.dumps(response(THOUGHT, WORDS, READ, usage=USAGE), indent=1).encode())

    assert merged(streamed) == merged(whole) == SAID
    assert end(streamed) == end(whole) == END
