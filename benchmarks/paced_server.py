"""A server of both APIs in a process of its own, which says `word ` as often and as fast as it is told.

The user's message tells: `20000 200` are 20,000 tokens, 200 a second; `20000` are so many at full
speed. With a third word, `20000 200 markdown`, they are Markdown (only over the chat API).
"""

from __future__ import annotations

import asyncio
import multiprocessing
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection

from aiohttp import web
from markdown_answer import markdown_tokens
from said_words import PATHS, words_of

_TICK = 0.01
"""Seconds between two writes of a paced answer."""


async def complete(request: web.Request) -> web.StreamResponse:
    body = await request.json()
    asked = (body["messages"] if "messages" in body else body["input"])[-1]
    words = asked["content"].split()
    tokens, rate = int(words[0]), float(words[1]) if len(words) > 1 else None
    response = web.StreamResponse(headers={"content-type": "text/event-stream"})
    await response.prepare(request)
    said = words_of(request.path)
    await response.write(said.begin)
    answer = [said.token(token) for token in markdown_tokens(tokens)] if words[2:] else None
    sent, began = 0, time.monotonic()
    while sent < tokens:
        due = tokens if rate is None else min(tokens, int((time.monotonic() - began) * rate) + 1)
        count = min(due - sent, 20)
        await response.write(
            b"".join(answer[sent : sent + count]) if answer else said.words(sent, count)
        )
        sent += count
        if rate is not None and sent == due:
            await asyncio.sleep(_TICK)
    await response.write(said.end(tokens))
    return response


def _serve(pipe: Connection) -> None:
    async def main() -> None:
        # A request may hold a long chat.
        app = web.Application(client_max_size=100_000_000)
        for path in PATHS.values():
            app.router.add_post(f"/v1{path}", complete)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        pipe.send(runner.addresses[0][1])
        # Ends with the benchmark, even with one that was killed.
        await asyncio.to_thread(_wait_for_end, pipe)
        await runner.cleanup()

    asyncio.run(main())


def _wait_for_end(pipe: Connection) -> None:
    try:
        pipe.recv()
    except EOFError:
        return


@contextmanager
def paced_server() -> Iterator[str]:
    """The base URL of a server that runs while it is open."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs,))
    process.start()
    theirs.close()
    try:
        yield f"http://127.0.0.1:{ours.recv()}/v1"
    finally:
        ours.close()
        process.join(10)
