"""A model server that says what it is told and remembers what it was asked.

It speaks OpenAI's two APIs and Anthropic's. Answers are scripted as chunks of chat; over the others they are
translated (`responses_events`, `messages_events`), and a request that OpenAI or Anthropic would refuse is
refused and fails the test.

For tests: it listens on 127.0.0.1 only, in a thread of its own, and ends with its `with` block.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web
from messages_as_chat import messages_as_chat
from messages_billing import PromptCache, answer_tokens
from messages_bodies import as_message
from messages_events import MessageEvents
from messages_refused import RefusedError
from messages_requests import check_messages
from messages_stream import sse as message_sse
from responses_as_chat import chat_messages
from responses_bodies import as_response
from responses_events import ChatEvents, ResponseEvents
from responses_events import sse as response_sse
from responses_requests import InvalidRequestError, check_request

Chunk = dict[str, Any]
Events = ResponseEvents | ChatEvents | MessageEvents


@dataclass
class Answer:
    """What the server does with one request for a completion."""

    chunks: Iterable[Chunk] = ()
    """Streamed as events, in order."""
    done: bool = True
    """Whether `[DONE]` ends the stream."""
    hold: int | None = None
    """After this many chunks (0: before the first) wait until the client goes away."""
    status: int = 200
    body: str | None = None
    """Sent in place of the chunks; an answer of chat is translated, all else is sent as it is."""
    content_type: str = "application/json"
    pause: float = 0.0
    """Seconds between chunks."""


def delta(**fields: Any) -> Chunk:
    return {"choices": [{"index": 0, "delta": fields}]}


def finish(reason: str = "stop", usage: dict[str, Any] | None = None) -> Chunk:
    chunk: Chunk = {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}
    return {**chunk, "usage": usage} if usage else chunk


def text(words: str, *, reasoning: str | None = None) -> Answer:
    """An answer of words, each in a chunk of its own."""
    chunks = [delta(role="assistant", content="")]
    chunks += [delta(reasoning_content=word) for word in _words(reasoning or "")]
    chunks += [delta(content=word) for word in _words(words)]
    return Answer([*chunks, finish("stop", {"prompt_tokens": 11, "completion_tokens": 7})])


def call(name: str, arguments: dict[str, Any], call_id: str = "call_1") -> Answer:
    """An answer that calls one tool; its arguments come in two pieces."""
    raw = json.dumps(arguments)
    first = {"index": 0, "id": call_id, "type": "function"}
    pieces = [
        {**first, "function": {"name": name, "arguments": raw[:3]}},
        {"index": 0, "function": {"arguments": raw[3:]}},
    ]
    return Answer([*(delta(tool_calls=[piece]) for piece in pieces), finish("tool_calls")])


def error(status: int, message: str) -> Answer:
    return Answer(status=status, body=json.dumps({"error": {"message": message}}))


def check_headers(request: web.Request) -> None:
    """Raise `RefusedError` if Anthropic would ask for the version, or for a key."""
    if "anthropic-version" not in request.headers:
        raise RefusedError("anthropic-version: header is required")
    if not {"x-api-key", "authorization"} & {name.lower() for name in request.headers}:
        raise RefusedError("x-api-key header is required", status=401)


def _words(text: str) -> list[str]:
    return text.replace(" ", " \0").split("\0") if text else []


@dataclass
class ScriptedServer:
    """Gives its answers one after the other; the last one again and again."""

    answers: list[Answer] = field(default_factory=list)
    models: list[str] = field(default_factory=lambda: ["scripted"])
    models_body: str | None = None
    """Answer to a request for the models, in place of the list of `models`."""
    models_status: int = 200
    choose: Callable[[dict[str, Any]], Answer] | None = None
    """Returns the answer to a request, given its body, in place of `answers`."""
    requests: list[dict[str, Any]] = field(default_factory=list)
    """Bodies of the requests for an answer, over whatever API, in order."""
    paths: list[str] = field(default_factory=list)
    """Paths of the same requests, without the base URL's."""
    targets: list[str] = field(default_factory=list)
    """Paths of all requests with their queries, those for the models among them."""
    routes: tuple[str, ...] = ("/chat/completions", "/responses", "/messages")
    """Paths that it has; another one is answered with 404 as FastAPI words it."""
    refused: list[str] = field(default_factory=list)
    """What was wrong with requests to the Responses or the Messages API; a test that provokes it empties the list."""
    bills: bool = False
    """Whether answers over Anthropic's API report what they cost, with a prompt cache, in place of their script."""
    billed: list[dict[str, Any]] = field(default_factory=list)
    """Usage of the requests that were billed."""
    headers: list[dict[str, str]] = field(default_factory=list)
    """Headers of the same requests."""
    redirects: tuple[int, str] | None = None
    """Status and base URL to which every request is sent on, but for those that come from there."""
    seen: list[dict[str, str]] = field(default_factory=list)
    """Headers of all requests, those for the models among them; names in lower case."""
    streaming: threading.Event = field(default_factory=threading.Event)
    """Set when an answer holds still."""
    disconnected: threading.Event = field(default_factory=threading.Event)
    """Set when a client went away in the middle of an answer."""
    left: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    """Released each time that a client went away so."""

    def __post_init__(self) -> None:
        self._ready = threading.Event()
        self._cache = PromptCache()
        self._given = 0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> ScriptedServer:
        self._thread.start()
        if not self._ready.wait(300):
            raise RuntimeError("the scripted server did not start")
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)
        self._loop.close()
        if self.refused:
            raise AssertionError("invalid requests: " + " ".join(self.refused))

    def reset(self) -> None:
        """Forget answers and requests."""
        self.answers = []
        self.choose = None
        self.requests.clear()
        self.paths.clear()
        self.targets.clear()
        self.headers.clear()
        self.seen.clear()
        self.billed.clear()
        self.bills, self._cache = False, PromptCache()
        self.redirects = None
        self.streaming.clear()
        self.disconnected.clear()
        self.left = threading.Semaphore(0)
        self._given = 0
        self.models, self.models_body, self.models_status = ["scripted"], None, 200

    @property
    def url(self) -> str:
        """The base URL, as `OPENAI_BASE_URL` wants it."""
        return f"http://127.0.0.1:{self._port}/v1"

    def messages(self, request: int = -1) -> list[dict[str, Any]]:
        """The messages of one request, in the form of chat."""
        is_anthropic = self.paths[request] == "/messages"
        return (messages_as_chat if is_anthropic else chat_messages)(self.requests[request])

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._main())

    async def _main(self) -> None:
        self._stop = asyncio.Event()
        app = web.Application(client_max_size=2**28, middlewares=[self._note])
        app.router.add_get("/v1/models", self._models)
        for base in ("/v1", "/v1/further"):
            app.router.add_post(f"{base}/chat/completions", self._complete)
            app.router.add_post(f"{base}/responses", self._complete)
            app.router.add_post(f"{base}/messages", self._complete)
        runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        self._port = runner.addresses[0][1]
        self._ready.set()
        await self._stop.wait()
        await runner.cleanup()

    @web.middleware
    async def _note(self, request: web.Request, handler: Any) -> web.StreamResponse:
        self.targets.append(request.path_qs)
        self.seen.append({name.lower(): value for name, value in request.headers.items()})
        if self.redirects is not None and "/further/" not in request.path:
            status, url = self.redirects
            location = url + request.path.removeprefix("/v1")
            return web.Response(status=status, headers={"location": location})
        response: web.StreamResponse = await handler(request)
        return response

    async def _models(self, request: web.Request) -> web.Response:
        if self.models_body is not None:
            return web.Response(
                status=self.models_status, text=self.models_body, content_type="application/json"
            )
        if "anthropic-version" in request.headers:
            made = {"type": "model", "created_at": "2026-01-01T00:00:00Z", "lifecycle": "active"}
            models = [{"id": name, "display_name": name, **made} for name in self.models]
            ends = {"first_id": self.models[:1], "last_id": self.models[-1:]}
            return web.json_response(
                {
                    "data": models,
                    "has_more": False,
                    **{k: next(iter(v), None) for k, v in ends.items()},
                }
            )
        data = [
            {"id": name, "object": "model", "created": 0, "owned_by": ""} for name in self.models
        ]
        return web.json_response({"object": "list", "data": data})

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        self.requests.append(body)
        self.headers.append(dict(request.headers))
        self.paths.append(request.path.removeprefix("/v1").removeprefix("/further"))
        if self.paths[-1] not in self.routes:
            return web.json_response({"detail": "Not Found"}, status=404)
        number = len(self.requests)
        events: Events = ChatEvents()
        try:
            if self.paths[-1] == "/responses":
                check_request(body)
                events = ResponseEvents(body, number)
            elif self.paths[-1] == "/messages":
                check_headers(request)
                check_messages(body)
                events = MessageEvents(body, number, self._bill(body) if self.bills else None)
        except InvalidRequestError as invalid:
            self.refused.append(str(invalid))
            return web.json_response(invalid.body(), status=400)
        except RefusedError as refused:
            self.refused.append(str(refused))
            return web.json_response(refused.body(), status=refused.status)
        answer = self._next(body)
        if answer.body is not None:
            told = answer.body
            if self.paths[-1] == "/responses":
                told = as_response(told, body, number)
            elif self.paths[-1] == "/messages":
                told = as_message(told, body, number, answer.status)
            return web.Response(status=answer.status, text=told, content_type=answer.content_type)
        response = web.StreamResponse(headers={"content-type": "text/event-stream"})
        try:
            await response.prepare(request)
            await self._stream(answer, events, response.write)
        except (asyncio.CancelledError, ConnectionError):
            self.disconnected.set()
            self.left.release()
            raise
        return response

    def _bill(self, body: dict[str, Any]) -> Callable[[list[dict[str, Any]]], dict[str, Any]]:
        cost = self._cache.bill(body)
        self.billed.append(cost)

        def usage(content: list[dict[str, Any]]) -> dict[str, Any]:
            cost["output_tokens"] = answer_tokens(content)
            return cost

        return usage

    def _next(self, request: dict[str, Any]) -> Answer:
        if self.choose is not None:
            return self.choose(request)
        self._given += 1
        return self.answers[min(self._given, len(self.answers)) - 1]

    async def _stream(self, answer: Answer, events: Events, write: Any) -> None:
        sse = message_sse if isinstance(events, MessageEvents) else response_sse
        await write(sse(events.begin()))
        for chunk in itertools.islice(answer.chunks, answer.hold):
            await write(sse(events.feed(chunk)))
            if answer.pause:
                await asyncio.sleep(answer.pause)
        await write(sse(events.end(answer.done and answer.hold is None)))
        if answer.hold is not None:
            self.streaming.set()
            await asyncio.Event().wait()
