"""The first request to a server imports nothing that was not imported before it."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import asyncio, sys, threading
from http.server import BaseHTTPRequestHandler, HTTPServer

from msgbook.provider import import_network, import_sdk
from msgbook.provider.http import http_library

class Empty(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass

async def ask(http, url):
    async with http.AsyncClient(trust_env=False) as client:
        await client.get(url)

server = HTTPServer(("127.0.0.1", 0), Empty)
threading.Thread(target=server.serve_forever, daemon=True).start()
sdk = import_sdk()
import_network(sdk)
known = {*sys.modules}
asyncio.run(ask(http_library(sdk), f"http://127.0.0.1:{server.server_port}"))
print(*sorted({*sys.modules} - known))
"""


def test_the_network_is_imported_before_the_first_request():
    ended = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=300, check=True
    )
    assert ended.stdout.split() == []
