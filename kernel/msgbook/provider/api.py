"""The interface of the two APIs over which a server is asked: what it is sent, and what it answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from msgbook.events import StreamEvent
from msgbook.messages import ApiName
from msgbook.provider.base import Request
from msgbook_format.turn import Usage


class AnswerDecoder(Protocol):
    """Decodes the body of one response, without I/O: bytes in, stream events out."""

    @property
    def done(self) -> bool:
        """True once nothing can follow; what follows is ignored."""
        ...

    @property
    def has_ended(self) -> bool:
        """True once the server has marked the end of the answer; usage may still follow."""
        ...

    @property
    def usage(self) -> Usage | None:
        """Usage as far as the server has reported it."""
        ...

    @property
    def model(self) -> str | None:
        """The model that answers, as the server names it; None until it does."""
        ...

    def feed(self, chunk: bytes) -> Iterator[StreamEvent]:
        """Yield the events of a piece of the body.

        Raises:
            ProviderError: The server reports an error in the stream, or sends a line that never ends.
        """
        ...

    def feed_rest(self, chunk: bytes) -> None:
        """Note the usage in a piece of the body that follows an error.

        Raises:
            ProviderError: The server sends a line that never ends.
        """
        ...

    def end(self) -> Iterator[StreamEvent]:
        """Yield the events of the end of the body, `ModelFinished` last.

        Raises:
            ProviderError: The body was not an answer of this API.
        """
        ...

    def flush(self) -> Iterator[StreamEvent]:
        """Yield the text that is held back, before an error or the end, and notices about the rest."""
        ...


@dataclass(frozen=True, slots=True)
class Api:
    """An API of model servers."""

    name: ApiName
    path: str
    """Path of its requests below the base URL."""
    options: Mapping[str, Any]
    """Options of a turn's requests that an agent need not set."""
    streaming: Mapping[str, Any]
    """Keys that ask for a streamed answer and its usage."""
    make_body: Callable[[Request, Mapping[str, Any]], dict[str, Any]]
    """Returns the body of a request with some of the `streaming` keys."""
    new_decoder: Callable[[Callable[[], str]], AnswerDecoder]
    """Returns a decoder for one response. Its argument makes ids for tool calls that have none."""
