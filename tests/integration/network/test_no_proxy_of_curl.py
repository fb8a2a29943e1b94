"""NO_PROXY as curl reads it: what curl exempts is exempt."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from no_proxy_forms import URLS, forms

from msgbook.network.proxies import is_exempt

CURL = shutil.which("curl")


class _Route(BaseHTTPRequestHandler):
    """Says whether a request came as one to a proxy."""

    def do_GET(self) -> None:
        """Answer with the way that the request took."""
        self.send_response(200)
        self.send_header("Content-Length", "6")
        self.end_headers()
        self.wfile.write(b"direct")

    def do_CONNECT(self) -> None:
        """Refuse a tunnel."""
        self.send_error(502)

    def log_message(self, *_arguments: object) -> None:
        """Say nothing."""


@pytest.fixture
def port():
    """The port of a server that is proxy and target of all requests."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Route)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port
    server.shutdown()
    server.server_close()


@pytest.mark.skipif(CURL is None, reason="there is no curl to compare with")
def test_what_curl_exempts_is_exempt(port):
    for value in dict.fromkeys(value for _, value in forms()):
        for url, took in zip(URLS, _curl(port, value), strict=True):
            assert is_exempt(url, value) or took != "direct", (url, value)


def _curl(port: int, no_proxy: str) -> list[str]:
    """Return the ways that curl's requests take."""
    command = [CURL or "curl"]
    for url in URLS:
        options = ["-s", "-g", "-m", "20", "--connect-to", f"::127.0.0.1:{port}", "-w", "|"]
        command += [*(["--next"] if len(command) > 1 else []), *options, url]
    environ = {
        "PATH": os.environ["PATH"],
        "http_proxy": f"http://127.0.0.1:{port}",
        "no_proxy": no_proxy,
    }
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    return done.stdout.split("|")[:-1]
