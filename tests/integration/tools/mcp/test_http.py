"""A URL as a server: where headers go, and how a refusal reads."""

from __future__ import annotations

import asyncio
import gzip
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event
from typing import Any, ClassVar

import pytest
from faulty_mcp import initialize, says, tool, words
from mcp_direct import started

from msgbook.config import McpServerSettings
from msgbook.errors import ToolError

HEADERS = {"Authorization": "Bearer my-own-token"}


@contextmanager
def answering(status: int, body: bytes = b"", **headers: str) -> Iterator[tuple[str, list[str]]]:
    """Start a server that answers everything alike; gives its URL and what it was sent."""
    seen: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            seen.append(self.headers.get("Authorization", ""))
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            with suppress(ConnectionError):  # the client reads no more
                self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/mcp", seen
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def said_of(url: str) -> str:
    """Return the notices about a server of this URL."""

    async def look() -> str:
        async with started(McpServerSettings("web", url=url, headers=HEADERS)) as servers:
            return "\n".join(servers.said)

    return asyncio.run(look())


def test_no_header_goes_to_another_origin():
    with (
        answering(200) as (elsewhere, seen_elsewhere),
        answering(307, Location=elsewhere) as (url, seen),
    ):
        said = said_of(url)

    assert seen_elsewhere == []
    assert set(seen) == {"Bearer my-own-token"}
    assert f"Redirect to {elsewhere} not followed" in said


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (401, "it answers HTTP 401; check headers in its table."),
        (403, "it answers HTTP 403; check headers in its table."),
        (404, "it answers HTTP 404; check url in its table."),
        (503, "it answers HTTP 503."),
    ],
)
def test_a_refusal_names_its_status_and_the_setting_to_check(status, expected):
    with answering(status) as (url, _):
        said = said_of(url)

    assert (
        f"The MCP server web could not be started, so its tools are not offered: {expected}" in said
    )


def test_a_server_that_is_not_there_is_said():
    with answering(200) as (url, _):
        pass

    assert "The MCP server web could not be started" in said_of(url)
    assert "nothing answers at its url" in said_of(url)


def test_an_answer_that_is_no_message_is_said_in_plain_words():
    with answering(200, b"[1, 2]", **{"Content-Type": "application/json"}) as (url, _):
        said = said_of(url)

    assert "its answer is not JSON-RPC. %mcp refresh" in said


def test_an_answer_without_end_is_cut():
    headers = {"Content-Type": "application/json"}
    with answering(200, b'{"jsonrpc": "' + b"x" * 17_000_000, **headers) as (url, seen):
        said = said_of(url)

    assert "more than 16 MB in one message" in said
    assert seen


def test_a_body_of_short_lines_without_end_is_cut():
    headers = {"Content-Type": "application/json"}
    with answering(200, b"\n" * 17_000_000, **headers) as (url, _):
        assert "more than 16 MB in one message" in said_of(url)


def test_a_compressed_answer_is_not_unpacked():
    body = gzip.compress(b"\n" * 50_000_000)
    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    with answering(200, body, **headers) as (url, _):
        assert "its answer is compressed, which was not asked for" in said_of(url)


class Session(BaseHTTPRequestHandler):
    """A server with one tool, sessions, and a fault that its owner names.

    - `status`: The tool answers with this status.
    - `hangs`: It never says that a session has ended.
    - `reopens`: Its own stream ends at once, and is to be opened again at once.
    """

    protocol_version = "HTTP/1.1"
    faults: ClassVar[dict[str, int]] = {}
    opened: ClassVar[list[str]] = []
    released = threading.Event()

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        method, more = message.get("method"), {"Mcp-Session-Id": "a"}
        results = {
            "initialize": lambda: initialize(message["params"]),
            "tools/list": lambda: {"tools": [tool("echo")]},
            "tools/call": lambda: says(words("done")),
        }
        status = self.faults.get("status", 200) if method == "tools/call" else 200
        if "id" not in message:
            self.answer(202, {})
        elif method in results:
            self.answer(status, {"id": message["id"], "result": results[method]()}, **more)
        else:
            self.answer(200, {"id": message["id"], "error": {"code": -32601, "message": "no"}})

    def do_GET(self) -> None:
        self.opened.append(self.path)
        stream = b"retry: 0\nid: 1\ndata: \n\n"
        if "reopens" in self.faults:
            self.answer(200, stream, **{"Content-Type": "text/event-stream"})
        else:
            self.answer(405, {})

    def do_DELETE(self) -> None:
        if "hangs" in self.faults:
            self.released.wait()
        self.answer(200, {})

    def answer(self, status: int, body: bytes | dict[str, Any], **headers: str) -> None:
        data = body if isinstance(body, bytes) else json.dumps({"jsonrpc": "2.0", **body}).encode()
        self.send_response(status)
        for name, value in ({"Content-Type": "application/json"} | headers).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        with suppress(ConnectionError):
            self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@contextmanager
def session(**faults: int) -> Iterator[tuple[str, type[Session]]]:
    """Start a server with these faults; gives its URL and its handler."""
    handler = type("Handler", (Session,), {"faults": faults, "opened": [], "released": Event()})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/mcp", handler
    finally:
        handler.released.set()
        server.shutdown()
        server.server_close()
        thread.join()


def called(url: str) -> str:
    """Return the result of a call, or why it failed."""

    async def look() -> str:
        async with started(McpServerSettings("web", url=url)) as servers:
            try:
                return str(await servers.call("echo"))
            except ToolError as error:
                return str(error)

    return asyncio.run(look())


def test_a_server_that_never_says_that_a_session_has_ended_holds_nothing_up():
    with session(hangs=1) as (url, handler):
        assert called(url) == "done"
        assert not handler.released.is_set()


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (401, "refuses the call: it answers HTTP 401"),
        (500, "refuses the call: it answers HTTP 500"),
        (404, "ended during the call: Session terminated"),
    ],
)
def test_a_refused_call_names_its_status(status, words):
    with session(status=status) as (url, _):
        assert words in called(url)


def test_a_server_whose_own_stream_ends_at_once_is_called_all_the_same():
    with session(reopens=1) as (url, _):
        assert called(url) == "done"
