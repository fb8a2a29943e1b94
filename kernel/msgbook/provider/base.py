"""The seam between a turn and whoever answers."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Any, Protocol

from msgbook.events import StreamEvent
from msgbook.messages import Message


@dataclass(frozen=True, slots=True)
class Request:
    """One model call."""

    model: str
    messages: list[Message]
    tools: list[dict[str, Any]] = field(default_factory=list)
    """Function tools as the chat API spells them; empty for none."""
    options: dict[str, Any] = field(default_factory=dict)
    """Further keys of the body (`max_tokens`); what a server does not know it may refuse."""


class Provider(Protocol):
    """Streams model calls.

    Both methods raise `ProviderError` when the server cannot be reached or does not answer with
    a completion; what was yielded until then stands. The error's `retry` is set only when nothing
    had arrived yet, and the request may be made again.
    """

    name: str
    """Short name, recorded in the turn."""

    def stream(self, request: Request) -> AsyncGenerator[StreamEvent]:
        """Yield the events of one model call, `ModelFinished` last.

        Closing the iterator (`aclose`) or cancelling its task closes the connection.
        """
        ...

    async def models(self) -> list[str]:
        """Ids of the models that the server offers, in its order."""
        ...

    async def close(self) -> None:
        """Close the connections."""
        ...
