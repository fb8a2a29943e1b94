"""A line of text from the client that sent a request, by an `input_request`.

IPython's own `raw_input` blocks the event loop until the answer. This does not, so that an
interrupt ends the wait at once.
"""

from __future__ import annotations

from typing import Any


class StdinLine:
    """Reads lines from the client that sent a request.

    Args:
        session: The kernel's Jupyter session, which signs and checks messages.
        socket: The kernel's stdin socket; nothing else may read from it meanwhile.
        parent: The request.
        ident: ZeroMQ identity of the client.
    """

    def __init__(self, session: Any, socket: Any, parent: dict[str, Any], ident: Any) -> None:
        self._session = session
        self._socket = socket
        self._parent = parent
        self._ident = ident

    async def read(self, prompt: str) -> str:
        """Show a prompt, wait for the reply and return it; a malformed reply is an empty line."""
        from zmq.asyncio import Poller

        self._drop_old_replies()
        content = {"prompt": prompt, "password": False}
        request = self._session.send(
            self._socket, "input_request", content, self._parent, ident=self._ident
        )
        request_ids = {
            request["header"]["msg_id"],
            self._parent.get("header", {}).get("msg_id"),
            None,
        }
        poller = Poller()
        poller.register(self._socket)
        while True:
            reply = self._receive()
            if reply is None:
                await poller.poll()
            elif reply["parent_header"].get("msg_id") in request_ids:
                value = reply["content"].get("value")
                return value if isinstance(value, str) and value != "\x04" else ""

    def _receive(self) -> dict[str, Any] | None:
        """Return a reply that has arrived; None if there is none, or its signature is wrong."""
        try:
            reply: dict[str, Any] | None = self._session.recv(self._socket)[1]
        except ValueError:
            return None
        return reply

    def _drop_old_replies(self) -> None:
        """Drop replies to earlier questions, which an interrupt may have left."""
        import zmq

        while True:
            try:
                self._socket.recv_multipart(zmq.NOBLOCK)
            except zmq.Again:
                return
