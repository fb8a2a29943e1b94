"""Answers over Anthropic's API without an end: what a decoder keeps of them is bounded."""

from __future__ import annotations

import json
import tracemalloc
from contextlib import suppress

import pytest

from msgbook.errors import NotACompletionError
from msgbook.provider.anthropic.decode import MessageDecoder

PIECES = 150
PIECE = "x" * 1_000_000
BOUND = 110_000_000
"""Bytes: less than all pieces, and enough for what an answer may hold, of which a citation is kept in three forms."""


def start(number, **block):
    return {"type": "content_block_start", "index": number, "content_block": block}


def delta(number, **piece):
    return {"type": "content_block_delta", "index": number, "delta": piece}


FLOODS = {
    "hidden thinking": lambda n: delta(0, type="redacted_thinking", data=PIECE),
    "arguments of a call without a name": lambda n: delta(
        0, type="input_json_delta", partial_json=PIECE
    ),
    "calls of the server": lambda n: start(
        n, type="server_tool_use", name="web_search", input={"query": f"{n}{PIECE}"}
    ),
    "inputs of many calls of the server": lambda n: delta(
        n % 20, type="input_json_delta", partial_json=PIECE
    ),
    "many signatures": lambda n: delta(n, type="signature_delta", signature=PIECE),
    "unknown blocks": lambda n: start(n, type="unheard_of", data=f"{n}{PIECE}"),
    "citations": lambda n: start(
        n, type="text", text="", citations=[{"url": "https://example.org/", "title": f"{n}{PIECE}"}]
    ),
    "citations in pieces": lambda n: delta(
        n, type="citations_delta", citation={"url": "https://example.org/", "title": f"{n}{PIECE}"}
    ),
    "counts": lambda n: {"type": "message_delta", "usage": {f"count_{n}": PIECE, f"{n}": [PIECE]}},
    "counts in counts": lambda n: {"type": "message_delta", "usage": {f"{n}": {"a": {"b": PIECE}}}},
    "pieces of unknown types": lambda n: delta(n, type=f"unheard_of_{n}", data=PIECE),
}
HEADS = {
    "hidden thinking": [start(0, type="redacted_thinking", data="")],
    "inputs of many calls of the server": [
        start(n, type="server_tool_use", id=f"s{n}", name="web_search") for n in range(20)
    ],
}


@pytest.mark.parametrize("name", FLOODS)
def test_a_flood_fills_no_memory(name):
    decoder = MessageDecoder(lambda: "made", "claude-sonnet-4-5")
    tracemalloc.start()
    try:
        with suppress(NotACompletionError):  # what is said of it does not matter here
            for event in [*HEADS.get(name, []), *map(FLOODS[name], range(PIECES))]:
                for _ in decoder.feed(f"data: {json.dumps(event)}\n\n".encode()):
                    pass
    finally:
        held, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()

    assert held < BOUND


def test_hidden_thinking_that_comes_in_pieces_is_whole():
    decoder = MessageDecoder(lambda: "made", "claude-sonnet-4-5")
    events = [
        start(0, type="redacted_thinking", data="a"),
        delta(0, type="redacted_thinking", data="b"),
        delta(0, type="redacted_thinking", data=["c"]),
        {"type": "content_block_stop", "index": 0},
    ]
    found = [
        event for one in events for event in decoder.feed(f"data: {json.dumps(one)}\n\n".encode())
    ]

    assert [event.item["data"] for event in found] == ["ab"]
