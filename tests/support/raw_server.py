"""A server of bytes: what no well-behaved HTTP library would send. It listens on 127.0.0.1 only."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from completions import DONE, delta, finish, sse
from engine_turns import run_turn
from messages_bodies import as_message
from responses_bodies import as_response

from msgbook.config import load_settings
from msgbook.engine import Conversation, Services
from msgbook.notebook.transcript import Transcript


@dataclass
class Reply:
    """One answer."""

    body: bytes = b""
    status: str = "200 OK"
    headers: tuple[str, ...] = ()
    end: Literal["close", "cut", "reset", "hold", "endless"] = "close"
    """`cut` leaves out the end of the body, `reset` breaks the connection, `hold` keeps it open,
    `endless` sends the body again and again."""


def text_reply(words: str, **kwargs: Any) -> Reply:
    return Reply(sse(delta(content=words), finish(), DONE), **kwargs)


def status(code: int, *headers: str, message: str = "slow down") -> Reply:
    """An error of HTTP, as OpenAI words it."""
    body = json.dumps({"error": {"message": message}}).encode()
    return Reply(body, f"{code} X", ("content-type: application/json", *headers))


class RawServer:
    """Gives its replies one after the other; the last one again and again."""

    def __init__(self, replies: list[Reply]) -> None:
        self.replies = replies
        self.requests: list[dict[str, Any]] = []
        self.url = ""
        self._held: list[asyncio.StreamWriter] = []

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        path, request = await _request(reader)
        self.requests.append(json.loads(request))
        reply = self.replies[min(len(self.requests), len(self.replies)) - 1]
        if path.endswith("/responses"):
            reply = _translated(reply, lambda body: as_response(body, self.requests[-1]))
        if path.endswith("/messages"):
            code = int(reply.status.partition(" ")[0])
            number = len(self.requests)
            reply = _translated(
                reply, lambda body: as_message(body, self.requests[-1], number, code)
            )
        head = [f"HTTP/1.1 {reply.status}", *reply.headers]
        head += ["transfer-encoding: chunked", "connection: close"]
        writer.write("\r\n".join([*head, "", ""]).encode())
        if reply.body:
            writer.write(f"{len(reply.body):x}\r\n".encode() + reply.body + b"\r\n")
        if reply.end == "close":
            writer.write(b"0\r\n\r\n")
        await writer.drain()
        while reply.end == "endless":
            writer.write(f"{len(reply.body):x}\r\n".encode() + reply.body + b"\r\n")
            try:
                await writer.drain()
            except ConnectionError:
                return
        if reply.end == "hold":
            self._held.append(writer)
            return
        if reply.end == "reset":
            writer.transport.abort()
        writer.close()

    def release(self) -> None:
        for writer in self._held:
            writer.close()


@asynccontextmanager
async def raw_server(*replies: Reply) -> AsyncIterator[RawServer]:
    server = RawServer(list(replies))
    listening = await asyncio.start_server(server.answer, "127.0.0.1", 0)
    server.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/v1"
    try:
        yield server
    finally:
        server.release()
        listening.close()
        await listening.wait_closed()


async def _request(reader: asyncio.StreamReader) -> tuple[str, bytes]:
    """Return the path and the body of a request."""
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    length = int(head.partition(b"content-length:")[2].split(b"\r\n")[0] or 0)
    return head.split()[1].decode(), await reader.readexactly(length)


def _translated(reply: Reply, as_other: Callable[[str], str]) -> Reply:
    """Return a reply of chat as one of another API."""
    try:
        return replace(reply, body=as_other(reply.body.decode()).encode())
    except UnicodeDecodeError:  # compressed
        return reply


def ask(
    *replies: Reply,
    turns: int = 1,
    watch: Callable[[dict[str, Any]], Awaitable[None]] | None = None,
    **env: str,
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The turn of a prompt to a server with these replies, and the requests that it got.

    Args:
        turns: How often the prompt is run; the last turn is returned.
        watch: Called with the turn in place of each sleep, which takes no time.
    """

    async def run() -> tuple[Any, list[dict[str, Any]]]:
        async with raw_server(*replies) as server:
            environ = {"OPENAI_BASE_URL": server.url, "MSGBOOK_MODEL": "m", **env}
            record: Any = None

            async def sleep(_seconds: float) -> None:
                if watch is not None:
                    await watch(record.snapshot())

            engine = Conversation(Services(load_settings(environ), sleep=sleep), Path())
            try:
                for _ in range(turns):
                    record = engine.new_record()
                    await run_turn(engine, "hi", Transcript("memory", []), record=record)
            finally:
                await engine.services.close()
            return record.snapshot(), server.requests

    return asyncio.run(run())
