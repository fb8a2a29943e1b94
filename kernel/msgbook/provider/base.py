"""A request and the interface of all providers."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
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
    """Function tools in the form of the chat API; empty for none."""
    options: dict[str, Any] = field(default_factory=dict)
    """Further keys of the body, such as `max_tokens`. A server may refuse keys that it does not know."""
    model_origin: str = ""
    """Describes what sets the model, for errors about it; empty if it is not known. Not sent."""
    reasoned: Callable[[], list[Message]] | None = field(default=None, compare=False, repr=False)
    """Returns the messages of the turn's first request with the reasoning of earlier turns, one for each, for a
    server that turns out to want it; None if they have it, or there is none."""


class Provider(Protocol):
    """Streams the answers to model calls.

    `stream` and `models` raise `ProviderError` if the server cannot be reached or does not answer with
    a completion; events yielded before that remain valid. The error's `retry` is set only if nothing
    had arrived and the request may be repeated.
    """

    name: str
    """Short name, recorded in the turn."""

    def stream(self, request: Request) -> AsyncGenerator[StreamEvent]:
        """Yield the events of one model call, `ModelFinished` last.

        Closing the iterator (`aclose`) or cancelling its task closes the connection.
        """
        ...

    async def models(self) -> list[str]:
        """Return the ids of the models that the server offers, in its order."""
        ...

    async def close(self) -> None:
        """Close the connections."""
        ...
