"""Reading a line from the client that sent a request, by the kernel's `input_request`.

IPython's own `raw_input` stops the event loop until the answer; here the loop goes on, so that an
interrupt ends the wait at once.
"""

from __future__ import annotations

from typing import Any


class StdinLine:
    """Reads lines from the client that sent a request.

    Args:
        session: The kernel's Jupyter session, which signs and checks messages.
        socket: The kernel's stdin socket; nobody else may read from it meanwhile.
        parent: The request.
        ident: Who sent it.
    """

    def __init__(self, session: Any, socket: Any, parent: dict[str, Any], ident: Any) -> None:
        self._session = session
        self._socket = socket
        self._parent = parent
        self._ident = ident

    async def read(self, prompt: str) -> str:
        """Show a prompt and wait for the reply; an odd reply is an empty line."""
        from zmq.asyncio import Poller

        self._drop_stale()
        content = {"prompt": prompt, "password": False}
        request = self._session.send(
            self._socket, "input_request", content, self._parent, ident=self._ident
        )
        ours = {request["header"]["msg_id"], self._parent.get("header", {}).get("msg_id"), None}
        poller = Poller()
        poller.register(self._socket)
        while True:
            reply = self._receive()
            if reply is None:
                await poller.poll()
            elif reply["parent_header"].get("msg_id") in ours:
                value = reply["content"].get("value")
                return value if isinstance(value, str) and value != "\x04" else ""

    def _receive(self) -> dict[str, Any] | None:
        """A reply that has come; None when there is none, or one that nobody signed."""
        try:
            reply: dict[str, Any] | None = self._session.recv(self._socket)[1]
        except ValueError:
            return None
        return reply

    def _drop_stale(self) -> None:
        """Take away the replies to earlier questions: an interrupt may have left one."""
        import zmq

        while True:
            try:
                self._socket.recv_multipart(zmq.NOBLOCK)
            except zmq.Again:
                return
