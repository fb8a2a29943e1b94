"""The streams of the SDK over a supervised process, and over HTTP with bounded answers."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any

import anyio
import httpx2
import mcp_types as types
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.message import SessionMessage

from msgbook.network import Route, find_route
from msgbook.text import repair_surrogates
from msgbook.tools.mcp.server_process import LINE_LIMIT, LineTooLongError, ServerProcess
from msgbook_format import jsontext

Streams = tuple[Any, Any]
"""Where messages arrive and where they leave."""

_SESSION = "mcp-session-id"
_OUR_OWN = (types.JSONRPCRequest, types.JSONRPCNotification)
_UNANSWERED = 1000
"""Requests of a server that wait for our answers; one that asks without end would fill memory."""

_CONNECT = 10.0
"""Seconds to connect to a server's URL, as for model servers."""
_REOPEN = 1.0
"""Seconds between two openings of a server's own stream."""
_READ = 300.0
"""Seconds without a byte after which a connection is given up; a call has a limit of its own."""


class TransportErrorInfo:
    """Details of what went wrong on the way, for the message about a failure."""

    def __init__(self) -> None:
        self.message = ""
        self.first_bad_line = ""
        self.route: Route | None = None
        """The way to a URL."""

    def way_advice(self, why: str = "") -> str:
        """Return what to do if the way to a URL is the cause, after a blank; empty if it cannot be."""
        advice = self.route.advice(why) if self.route is not None else ""
        return f". {advice.removesuffix('.')}" if advice else ""


@asynccontextmanager
async def process_streams(
    process: ServerProcess, trouble: TransportErrorInfo
) -> AsyncIterator[Streams]:
    """Connect to a running program while the context is open."""
    unanswered = 0
    arrives, incoming = anyio.create_memory_object_stream[Any](0)
    outgoing, leaves = anyio.create_memory_object_stream[SessionMessage](0)

    async def read() -> None:
        nonlocal unanswered
        async with arrives:
            try:
                async for line in process.lines():
                    message = _parse(line, trouble)
                    if message is None:
                        continue
                    unanswered += isinstance(message.message, types.JSONRPCRequest)
                    if unanswered > _UNANSWERED:
                        trouble.message = "it sent more and more requests and read no answers"
                        return
                    await arrives.send(message)
            except LineTooLongError as error:
                trouble.message = str(error)
            except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                return

    async def write() -> None:
        nonlocal unanswered
        async with leaves:
            async for message in leaves:
                text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                try:
                    await process.send(text.encode("utf-8", "replace"))
                except OSError:
                    return
                unanswered -= not isinstance(message.message, _OUR_OWN)

    async with anyio.create_task_group() as tasks, incoming, outgoing:
        tasks.start_soon(read)
        tasks.start_soon(write)
        try:
            yield incoming, outgoing
        finally:
            tasks.cancel_scope.cancel()


@asynccontextmanager
async def http_streams(
    url: str, headers: Mapping[str, str], trouble: TransportErrorInfo
) -> AsyncIterator[Streams]:
    """Connect to a URL while the context is open.

    Redirects are followed within the origin only; so headers go nowhere else.

    Raises:
        NetworkProblem: A variable of the environment that the way to the URL needs cannot be used.
    """
    trouble.route = route = find_route(url)

    async def look(response: httpx2.Response) -> None:
        if response.request.method == "POST":
            # Also empty: an old server refuses the first question, and goes on.
            trouble.message = _refusal(response, trouble)
        if response.headers.get("content-encoding", "identity").strip().lower() != "identity":
            # A few bytes may become any number of them.
            trouble.message = "its answer is compressed, which was not asked for"
            raise httpx2.StreamError(trouble.message)
        kind = response.headers.get("content-type", "").lower()
        is_stream = response.is_success and kind.startswith("text/event-stream")
        response.stream = _Bounded(response.stream, by_line=is_stream)  # type: ignore[arg-type]  # of an async client

    async with (
        httpx2.AsyncClient(
            headers={**headers, "accept-encoding": "identity"},
            timeout=httpx2.Timeout(_CONNECT, read=_READ),
            event_hooks={"request": [paced()], "response": [look]},
            **route.client_options(httpx2),
        ) as client,
        streamable_http_client(url, http_client=client, max_sse_event_size=LINE_LIMIT) as streams,
    ):
        yield streams


def _refusal(response: httpx2.Response, trouble: TransportErrorInfo) -> str:
    """Return why a server refused a request, and the setting to check; empty if it did not.

    404 in a session says that it is over, 405 that there is no stream of notifications.
    """
    status = response.status_code
    if status < 400 or status == 405 or (status == 404 and _SESSION in response.request.headers):
        return ""
    kind = response.headers.get("content-type", "").lower()
    words = f"it answers HTTP {status}"
    key = {401: "headers", 403: "headers", 404: "url"}.get(status)
    if kind.startswith("text/html") and status != 404:
        words += " with a page, which is not an answer of an MCP server but of a proxy, a gateway or another site"
        key = "url"
    through = "" if "json" in kind else trouble.way_advice()
    return words + (f"; check {key} in its table" if key else "") + through


def paced() -> Callable[[httpx2.Request], Awaitable[None]]:
    """Return a hook that lets a stream of the server be opened once in a second, whatever the server wants."""
    free = 0.0

    async def wait(request: httpx2.Request) -> None:
        nonlocal free
        if request.method != "GET":
            return
        now = anyio.current_time()
        free, pause = max(free, now) + _REOPEN, max(0.0, free - now)
        await anyio.sleep(pause)

    return wait


class _Bounded(httpx2.AsyncByteStream):
    """A body that ends with an error where a message is longer than `LINE_LIMIT`.

    Args:
        by_line: Whether a line that ends begins a new message, as an event of a stream does.
    """

    def __init__(self, body: httpx2.AsyncByteStream, *, by_line: bool) -> None:
        self._body = body
        self._by_line = by_line

    async def __aiter__(self) -> AsyncIterator[bytes]:
        length = 0
        async for chunk in self._body:
            _, newline, rest = chunk.rpartition(b"\n")
            length = len(rest) if newline and self._by_line else length + len(chunk)
            if length > LINE_LIMIT:
                raise httpx2.StreamError(f"more than {LINE_LIMIT // 1_000_000} MB in one message")
            yield chunk

    async def aclose(self) -> None:
        await self._body.aclose()


def _parse(line: bytes, trouble: TransportErrorInfo) -> SessionMessage | None:
    """Return the message of a line; None for a line that is none."""
    if not line:
        return None
    with suppress(ValueError):
        return SessionMessage(types.jsonrpc_message_adapter.validate_json(line, by_name=False))
    try:
        value = json.loads(repair_surrogates(_plain_text(line)))
        return SessionMessage(types.jsonrpc_message_adapter.validate_python(value, by_name=False))
    except (ValueError, RecursionError):
        trouble.first_bad_line = trouble.first_bad_line or line[:200].decode("utf-8", "replace")
        return _wrong_answer(line)


def _plain_text(line: bytes) -> str:
    """Return a line as text without escapes for half characters, which servers get from cutting a text."""
    text = line.decode("utf-8", "replace")
    if jsontext.is_too_deep(text):
        raise ValueError("nested too deeply")
    return json.dumps(json.loads(text), ensure_ascii=False)


def _wrong_answer(line: bytes) -> SessionMessage | None:
    """Return an error in place of an answer that does not fit, so that nobody waits for another one."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or "method" in value or "id" not in value:
        return None
    if type(value["id"]) not in (int, str):
        return None
    error = types.ErrorData(code=types.INTERNAL_ERROR, message="its answer is not valid JSON-RPC")
    return SessionMessage(types.JSONRPCError(jsonrpc="2.0", id=value["id"], error=error))
