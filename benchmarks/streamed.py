"""One streamed answer, read as a turn of ours and as the SDK's typed chunks or events: no network."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx2
import openai
from said_words import words_of

from msgbook.approval import Decision, Question
from msgbook.config import ProviderSettings
from msgbook.messages import ApiName
from msgbook.provider import Request
from msgbook.provider.servers import server_class
from msgbook.tools import ToolSet
from msgbook.turn import run_turn
from msgbook.turn.record import TurnRecord

EVENTS_PER_READ = 20
"""Events that one read of the connection brings; a server at full speed sends many at once."""


def body(tokens: int, path: str) -> Iterator[bytes]:
    """The reads of an answer of so many tokens, each in an event."""
    said = words_of(path)
    if said.begin:
        yield said.begin
    for first in range(0, tokens, EVENTS_PER_READ):
        yield said.words(first, EVENTS_PER_READ)
    yield said.end(tokens)


class Transport(httpx2.AsyncBaseTransport):
    """Answers each request with `tokens` tokens."""

    def __init__(self, tokens: int) -> None:
        self._tokens = tokens

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        async def reads() -> AsyncIterator[bytes]:
            for read in body(self._tokens, request.url.path):
                yield read
                await asyncio.sleep(0)

        headers = {"content-type": "text/event-stream"}
        return httpx2.Response(200, headers=headers, content=reads(), request=request)


async def _no(_question: Question) -> Decision:
    return Decision("denied")


async def our_turn(
    messages: list[dict[str, Any]], tokens: int, api: ApiName = "chat"
) -> TurnRecord:
    """The record of a turn that was answered with so many tokens."""
    settings = ProviderSettings("bench", "http://127.0.0.1/v1", api=api)
    provider = server_class(settings)(settings, transport=lambda _http: Transport(tokens))
    record = TurnRecord({}, lambda: "00000000")
    async for _ in run_turn(
        Request("m", messages),
        record,
        provider=provider,
        tools=ToolSet(),
        approve=_no,
        redact=lambda text: text,
        clock=time.monotonic,
    ):
        pass
    await provider.close()
    return record


async def typed_pieces(messages: Any, tokens: int, api: ApiName = "chat") -> list[str]:
    """What a loop over the SDK's typed chunks or events gets of such an answer."""
    http = httpx2.AsyncClient(transport=Transport(tokens))
    if api == "anthropic":
        return await _typed_messages(messages, http)
    client = openai.AsyncOpenAI(api_key="none", http_client=http)
    if api == "chat":
        stream = await client.chat.completions.create(model="m", messages=messages, stream=True)
        pieces = [chunk.choices[0].delta.content or "" async for chunk in stream if chunk.choices]
    else:
        events = await client.responses.create(model="m", input=messages, stream=True)
        pieces = [e.delta async for e in events if e.type == "response.output_text.delta"]
    await client.close()
    return pieces


async def _typed_messages(messages: Any, http: httpx2.AsyncClient) -> list[str]:
    import anthropic

    async with anthropic.AsyncAnthropic(api_key="none", http_client=http) as client:
        events = await client.messages.create(
            model="m", max_tokens=100_000, messages=messages, stream=True
        )
        return [
            event.delta.text
            async for event in events
            if event.type == "content_block_delta" and event.delta.type == "text_delta"
        ]
