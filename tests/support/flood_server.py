"""A model server that sends a flood of `floods.py` over a socket, as fast as the client reads."""

from __future__ import annotations

import socketserver
import threading
from types import TracebackType

from floods import CHUNK, FLOODS

_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"


class FloodServer:
    """Answers each request with the flood that `flood` names, until the client goes away."""

    def __init__(self) -> None:
        self.flood = "text"
        self.began = threading.Event()
        """Set once a megabyte of the flood has been taken."""
        outer = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                self.rfile.readline()
                size = 0
                while (line := self.rfile.readline().strip()) != b"":
                    if line.lower().startswith(b"content-length:"):
                        size = int(line.split(b":")[1])
                self.rfile.read(size)
                _, head, piece = FLOODS[outer.flood]
                chunk = piece * max(1, CHUNK // len(piece))
                sent = 0
                try:
                    self.request.sendall(_HEAD + head)
                    while True:
                        self.request.sendall(chunk)
                        sent += len(chunk)
                        if sent >= 1_000_000:
                            outer.began.set()
                except OSError:
                    return

        class Server(socketserver.ThreadingTCPServer):
            allow_reuse_address = daemon_threads = True

        self._server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> FloodServer:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
