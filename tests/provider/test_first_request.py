"""The first request to a server imports nothing that was not imported before it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from msgbook.messages import assistant, system, tool_result, user
from msgbook.provider import Request
from msgbook.provider.asking import Learned

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


@pytest.mark.parametrize("is_picture", [False, True])
def test_only_a_request_with_parts_needs_what_adapts_requests(is_picture: bool) -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "read", "arguments": "{}"}}
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    messages = [
        system("You help."),
        user("Read it"),
        assistant(None, [call]),
        tool_result("call_1", "read"),
        user([picture] if is_picture else "And now?"),
    ]
    assert Learned("server").concern(Request("m", messages)) is is_picture
