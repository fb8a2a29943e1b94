"""A URL as a server: where headers go, and how a refusal reads."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from mcp_direct import started

from msgbook.config import McpServerSettings

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

    assert "more than 16 MB in one line" in said
    assert seen
