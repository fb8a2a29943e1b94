"""Servers that send without an end, as fast as they are read and without a pause: a table of what they send."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, Literal

from msgbook.config import Limits, ProviderSettings
from msgbook.events import TurnFinished
from msgbook.provider import Request
from msgbook.provider.openai_server import OpenAIProvider
from msgbook.tools import ToolSet
from msgbook.turn import TurnRecord, run_turn

CHUNK = 65_536
"""Bytes that are read at once from a fast connection."""


def _event(value: Any) -> bytes:
    return f"data: {json.dumps(value)}\n\n".encode()


def _delta(**delta: Any) -> bytes:
    return _event({"choices": [{"index": 0, "delta": delta}]})


def _call(index: int, **keys: Any) -> dict[str, Any]:
    return {"index": index, **keys}


def _calls() -> Iterator[bytes]:
    for number in range(900):
        function = {"name": "read", "arguments": "{}"}
        yield _delta(tool_calls=[_call(number, id=f"c{number}", function=function)])


def _said(kind: str, **keys: Any) -> bytes:
    return _event({"type": f"response.{kind}", **keys})


Flood = tuple[Literal["chat", "responses"], bytes, bytes]
"""API, what comes first, and what comes again and again."""

_FIRST = _delta(content="Well, ")
_OPEN_CALL = _delta(tool_calls=[_call(0, id="c", function={"name": "f", "arguments": '{"a": "'})])
_ITEM = {"type": "function_call", "id": "i", "call_id": "c", "name": "f"}

FLOODS: dict[str, Flood] = {
    "text": ("chat", b"", _delta(content="word ")),
    "text, tiny": ("chat", b"", _delta(content="é")),
    "text, large": ("chat", b"", _delta(content="word " * 2000)),
    "reasoning": ("chat", b"", _delta(reasoning_content="Hm ")),
    "reasoning in tags": ("chat", b"", _delta(content="<think>Hm ")),
    "reasoning details": (
        "chat",
        _FIRST,
        _delta(reasoning_details=[{"type": "reasoning.text", "text": "Hm "}]),
    ),
    "reasoning and text by turns": (
        "chat",
        b"",
        _delta(reasoning_content="a") + _delta(content="b"),
    ),
    "arguments": ("chat", _OPEN_CALL, _delta(tool_calls=[_call(0, function={"arguments": "aa"})])),
    "tiny calls": ("chat", b"".join(_calls()), _delta(content="and ")),
    "refusal": ("chat", b"", _delta(refusal="no ")),
    "a line": ("chat", _FIRST + b"data: ", b"a"),
    "a line from the start": ("chat", b"", b"a"),
    "an event": ("chat", _FIRST, b"data:a\n"),
    "comments": ("chat", _FIRST, b":\n"),
    "blank lines": ("chat", _FIRST, b"\n"),
    "pings": ("chat", _FIRST, b": ping\n\n"),
    "named pings": ("chat", _FIRST, b"event: ping\ndata: {}\n\n"),
    "unknown fields": ("chat", _FIRST, b"ab\n"),
    "ids": ("chat", _FIRST, b"id: 1\nretry: 1\n"),
    "no JSON": ("chat", _FIRST, b"data: {\n\n"),
    "empty deltas": ("chat", _FIRST, _delta()),
    "unknown keys": ("chat", _FIRST, _event({"aside": "two words", "choices": []})),
    "unknown keys of a delta": ("chat", _FIRST, _delta(aside="a")),
    "a long word under an unknown key": ("chat", _FIRST, _event({"aside": "a" * 20_000})),
    "further choices": (
        "chat",
        _event({"choices": [{"index": 0, "delta": {"content": "Well, "}}]}),
        _event({"choices": [{"index": 1, "delta": {"content": "word "}}]}),
    ),
    "complete messages": (
        "chat",
        _FIRST + _delta(content="word " * 20_000),
        _event({"choices": [{"index": 0, "message": {"content": "Other."}}]}),
    ),
    "images that come again": (
        "chat",
        _FIRST,
        _delta(images=[{"image_url": {"url": "https://example.org/a.png"}}]),
    ),
    "an error": ("chat", _FIRST + b"error: ", b"a"),
    "an error of lines": ("chat", _FIRST + b"error: {\n", b"a\n"),
    "silent lines": ("chat", _FIRST, b"ping\n"),
    "one JSON value": ("chat", b'{"choices": [{"message": {"content": "', b"word "),
    "JSON on lines": ("chat", b'{\n"choices": [\n', b" 1,\n"),
    "a page": ("chat", b"<!DOCTYPE html>\n", b"<p>\n"),
    "response text": (
        "responses",
        b"",
        _said("output_text.delta", item_id="m", output_index=0, content_index=0, delta="word "),
    ),
    "response ids and indexes that change": (
        "responses",
        _said("output_item.added", output_index=0, item={"type": "message", "id": "m"}),
        b"".join(
            _said("output_text.delta", item_id=f"m{n}", content_index=n, delta="word ")
            for n in range(500)
        ),
    ),
    "response reasoning": (
        "responses",
        b"",
        _said("reasoning_text.delta", item_id="r", delta="Hm "),
    ),
    "response arguments": (
        "responses",
        _said("output_item.added", output_index=0, item=_ITEM),
        _said("function_call_arguments.delta", item_id="i", output_index=0, delta="aa"),
    ),
    "response arguments without a name": (
        "responses",
        b"",
        _said("function_call_arguments.delta", item_id="i", output_index=0, delta="aa"),
    ),
    "response events of other types": (
        "responses",
        b"",
        _event({"type": "response.unheard_of", "delta": "x"}),
    ),
    "response items": (
        "responses",
        b"",
        _said("output_item.done", item={"type": "web_search_call", "action": {"query": "x"}}),
    ),
    "response items that come again": (
        "responses",
        b"",
        _said("output_item.done", item=_ITEM | {"arguments": "{}"}),
    ),
    "response parts": (
        "responses",
        b"",
        b"".join(
            _said("content_part.added", item_id="m", content_index=n, part={"type": "output_text"})
            for n in range(600)
        ),
    ),
    "response pings": ("responses", b"", b"event: keepalive\ndata: {}\n\n"),
}

ANSWERED = {
    "text": "word ",
    "text, tiny": "é",
    "text, large": "word ",
    "reasoning": "Hm ",
    "reasoning in tags": "<think>Hm ",
    "arguments": "aa",
    "refusal": "no ",
    "response text": "word ",
    "response ids and indexes that change": "word ",
    "response reasoning": "Hm ",
    "response arguments": "aa",
    "response arguments without a name": "aa",
}
"""What an answer without an end consists of, by the flood that it is."""


class Flooded:
    """A turn whose server sends one of the floods."""

    def __init__(self, name: str, status: int = 200) -> None:
        api, self._head, piece = FLOODS[name]
        self._chunk = piece * max(1, CHUNK // len(piece))
        self._status = status
        self.received = 0
        """Bytes that were read so far."""
        settings = ProviderSettings("test", "http://127.0.0.1:9/v1", api=api)
        self.provider = OpenAIProvider(settings, transport=self._transport)
        nonces = iter(range(10**8))
        self.record = TurnRecord({}, lambda: f"{next(nonces):08x}")

    async def run(
        self,
        limits: Limits = Limits(),  # noqa: B008 - frozen
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        """Run the turn to its end. A cancellation ends it as interrupted."""
        turn = run_turn(
            Request("m", [{"role": "user", "content": "?"}]),
            self.record,
            provider=self.provider,
            tools=ToolSet([]),
            approve=None,  # type: ignore[arg-type]  # there are no tools
            redact=str,
            clock=lambda: 0.0,
            limits=limits,
        )
        try:
            async for _ in turn:
                changed()
        except asyncio.CancelledError:
            self.record.apply(TurnFinished("interrupted"), 0.0)
        finally:
            await turn.aclose()
            await self.provider.close()

    async def until(self, size: int, turn: asyncio.Task[None]) -> None:
        """Wait until so many bytes are read, or the turn is over."""
        for _ in itertools.count():
            if self.received >= size or turn.done():
                return
            await asyncio.sleep(0)

    def _transport(self, http: Any) -> Any:
        flooded = self

        class Body(http.AsyncByteStream):  # type: ignore[misc]
            async def __aiter__(self) -> AsyncIterator[bytes]:
                if flooded._head:
                    flooded.received += len(flooded._head)
                    yield flooded._head
                while True:
                    flooded.received += len(flooded._chunk)
                    yield flooded._chunk

        class Transport(http.AsyncBaseTransport):  # type: ignore[misc]
            async def handle_async_request(self, request: Any) -> Any:
                headers = {"content-type": "text/event-stream"}
                return http.Response(flooded._status, headers=headers, stream=Body())

        return Transport()
