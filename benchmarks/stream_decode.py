"""What a streamed answer costs: processor time per token, and memory of a very long one.

Baseline: a loop over the SDK's typed chunks that joins their text, the least a notebook cell would
do. Both read the same bytes, in the same process, without a network. Goal: 0.4 x. Ten times the
tokens may take ten times as long, and a million of them 200 MB.

Usage: python benchmarks/stream_decode.py [ROUNDS]
"""

from __future__ import annotations

import asyncio
import json
import resource
import statistics
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

import httpx2
import openai

from msgbook.config import ProviderSettings
from msgbook.output.record import TurnRecord
from msgbook.provider.base import Request
from msgbook.provider.openai_chat import OpenAIProvider
from msgbook.tools.approval import Decision, Question
from msgbook.tools.base import ToolSet
from msgbook.turn import run_turn

TOKENS = 20_000
EVENTS_PER_READ = 20
"""Events that one read of the connection brings; a server at full speed sends many at once."""


def body(tokens: int) -> Iterator[bytes]:
    """The reads of an answer of so many tokens, each in an event as OpenAI sends it."""
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    choice = {"index": 0, "delta": {"content": "word "}, "logprobs": None, "finish_reason": None}
    event = b"data: " + json.dumps({**head, "choices": [choice]}).encode() + b"\n\n"
    for _ in range(tokens // EVENTS_PER_READ):
        yield event * EVENTS_PER_READ
    last = {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    yield b"data: " + json.dumps(last).encode() + b"\n\ndata: [DONE]\n\n"


class Transport(httpx2.AsyncBaseTransport):
    """Answers each request with `tokens` tokens."""

    def __init__(self, tokens: int) -> None:
        self._tokens = tokens

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        async def reads() -> AsyncIterator[bytes]:
            for read in body(self._tokens):
                yield read
                await asyncio.sleep(0)

        headers = {"content-type": "text/event-stream"}
        return httpx2.Response(200, headers=headers, content=reads(), request=request)


async def typed(tokens: int) -> int:
    client = openai.AsyncOpenAI(
        api_key="none", http_client=httpx2.AsyncClient(transport=Transport(tokens))
    )
    messages: Any = [{"role": "user", "content": "hi"}]
    stream = await client.chat.completions.create(model="m", messages=messages, stream=True)
    pieces = [chunk.choices[0].delta.content or "" async for chunk in stream if chunk.choices]
    await client.close()
    return len("".join(pieces))


async def _no(_question: Question) -> Decision:
    return Decision("denied")


async def ours(tokens: int) -> int:
    settings = ProviderSettings("bench", "http://127.0.0.1/v1")
    provider = OpenAIProvider(settings, transport=lambda _http: Transport(tokens))
    record = TurnRecord({}, lambda: "00000000")
    async for _ in run_turn(
        Request("m", [{"role": "user", "content": "hi"}]),
        record,
        provider=provider,
        tools=ToolSet(),
        approve=_no,
        redact=lambda text: text,
        clock=time.monotonic,
    ):
        pass
    await provider.close()
    turn = record.snapshot()
    if turn["status"] != "done":
        raise RuntimeError(f"the turn ended otherwise: {turn['blocks'][-1:]}")
    return len(turn["blocks"][0]["text"])


def seconds(read: Callable[[int], Awaitable[int]], tokens: int) -> float:
    """Processor time of one answer."""
    began = time.process_time()
    size = asyncio.run(_checked(read, tokens))
    if size != tokens * len("word "):
        raise RuntimeError(f"{size} characters came of {tokens} tokens")
    return time.process_time() - began


async def _checked(read: Callable[[int], Awaitable[int]], tokens: int) -> int:
    return await read(tokens)


def main(rounds: int) -> None:
    seconds(typed, 200), seconds(ours, 200)  # imports
    pairs = [(seconds(ours, TOKENS), seconds(typed, TOKENS)) for _ in range(rounds)]
    mine, theirs = (statistics.median(times) for times in zip(*pairs, strict=True))
    print(
        f"{TOKENS} tokens: {mine:.2f} s, typed chunks {theirs:.2f} s: {mine / theirs:.2f} x "
        f"(goal: 0.4 x)"
    )
    long = seconds(ours, TOKENS * 10)
    print(f"ten times the tokens: {long / mine:.1f} x the time (goal: about 10 x)")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    seconds(ours, 1_000_000)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"a million tokens: +{(after - before) / 1024:.0f} MB (goal: 200 MB)")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
