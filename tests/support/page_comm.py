"""The comms of pages without a kernel: a test is the page, and says what it says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgbook.kernel.page.page_comms import PageComms

Message = dict[str, Any]


class Page:
    """One page's comm, which keeps what it is sent and answers nothing by itself.

    Args:
        when_told: What happens in the kernel while the page is being told of something.
    """

    def __init__(
        self,
        pages: PageComms,
        client: str,
        when_told: Callable[[Message], None] = lambda _message: None,
    ) -> None:
        self.comm_id = f"comm of {client}"
        self.client = client
        self.sent: list[Message] = []
        self._when_told = when_told
        pages.comm_opened(self, {"header": {"session": client}})

    def on_msg(self, callback: Callable[[Message], None]) -> None:
        self._received = callback

    def on_close(self, callback: Callable[[Message], None]) -> None:
        self._closed = callback

    def send(self, data: Message) -> None:
        self.sent.append(data)
        self._when_told(data)

    def close(self) -> None:
        self._closed({})

    def offer(self) -> None:
        """Answer that this page writes, or may write, the turn."""
        self.say({"type": "turn.writing", "display_id": "d"})

    def say(self, data: Message) -> None:
        self._received({"content": {"data": data}})

    @property
    def named(self) -> list[str | None]:
        """The writers that this page was told of."""
        return [m["writer"] for m in self.sent if m["type"] == "turn.writer"]
