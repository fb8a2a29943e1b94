"""A proxy that passes nothing on, and the variables of the environment that a test sets."""

from __future__ import annotations

import os
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from msgbook.network.variables import VARIABLES

PAGE = (
    "<!DOCTYPE html><html><head><title>no</title></head><body><h1>Access denied</h1></body></html>"
)

CLOSED = "http://127.0.0.1:9"
"""A proxy that does not run: nothing listens at the port of `discard`."""


@dataclass
class BadProxy:
    """What a proxy answers, and what it was asked."""

    status: int = 403
    body: str = PAGE
    content_type: str = "text/html; charset=utf-8"
    url: str = ""
    asked: list[str] = field(default_factory=list)


@contextmanager
def bad_proxy(
    status: int = 403,
    body: str = PAGE,
    content_type: str = "text/html",
    certificate: Path | None = None,
) -> Iterator[BadProxy]:
    """Start a proxy that answers everything alike; it is a server that is no model server, too.

    Args:
        certificate: File with a certificate and its key, for connections over TLS.
    """
    proxy = BadProxy(status, body, content_type)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            proxy.asked.append(f"{self.command} {self.path}")
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.send_response(proxy.status)
            self.send_header("Content-Type", proxy.content_type)
            self.send_header("Content-Length", str(len(proxy.body.encode())))
            self.end_headers()
            with suppress(ConnectionError):
                self.wfile.write(proxy.body.encode())

        do_GET = do_CONNECT = do_DELETE = do_POST  # noqa: N815 - as `http.server` names them

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    proxy.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield proxy
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def environment(**variables: str) -> Iterator[None]:
    """Set these variables, and no other one of the table."""
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name.upper() in VARIABLES and name != "MSGBOOK_CONFIG":
                patch.delenv(name)
        for name, value in variables.items():
            patch.setenv(name, value)
        yield
