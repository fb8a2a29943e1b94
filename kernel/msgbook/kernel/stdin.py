"""Asking about a tool call where there is no page: by the kernel's `input_request`.

IPython's own `raw_input` stops the event loop until the answer; here the loop goes on, so that an
interrupt ends the wait at once.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from msgbook.text import visible, whole
from msgbook.tools.approval import Answer

if TYPE_CHECKING:
    from msgbook.tools.approval import Choice, Question

_TAB = "\t"

ReadLine = Callable[[str], Awaitable[str]]
"""Shows a prompt and waits for the line that the user types."""

_WORDS: dict[str, Choice] = {
    "y": "once",
    "yes": "once",
    "s": "session",
    "r": "rule",
    "n": "no",
    "no": "no",
    "": "no",
}

_KEYS: dict[Choice, str] = {
    "once": "[y] once",
    "session": "[s] this tool, this session",
    "rule": "[r] a rule for exactly this call",
    "no": "[n reason] no",
}


async def ask_by_stdin(question: Question, read_line: ReadLine) -> Answer:
    """Ask until the answer is one of those there are; an empty one is no."""
    prompt = prompt_of(question)
    while True:
        answer = answer_of(await read_line(prompt))
        if answer is not None:
            return answer
        prompt = f"The answer is one of the letters below.\n{prompt_of(question)}"


def prompt_of(question: Question) -> str:
    """The question as text: nothing in it that is not seen, and nothing that looks like ours."""
    call, need = question.call, question.need
    lines = [
        f"{visible(call['name'])} asks for leave, since {visible(need.reason)}.",
        f"    {visible(call['arguments'])}",
        *(f"    {visible(line, keep=_TAB)}" for line in need.preview.split("\n") if need.preview),
        "  ".join(_KEYS[choice] for choice in question.choices) + ": ",
    ]
    return "\n".join(lines)


def answer_of(line: str) -> Answer | None:
    """What the user typed; None for a word that means nothing."""
    word, _, reason = whole(line).strip().partition(" ")
    choice = _WORDS.get(word.lower())
    if choice is None or (reason and choice != "no"):
        return None
    return Answer(choice, reason.strip())


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
