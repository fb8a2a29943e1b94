"""A request, and the interfaces of providers, of the three APIs and of the wire to the network."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from msgbook.events import StreamEvent
from msgbook.messages import ApiName, Message
from msgbook_format.turn import Usage


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


# The wire between the SDK's HTTP client and the network. A cassette listens to it, or takes its place.


MakeTransport = Callable[[Any], Any]
"""Makes a replacement of the network from the HTTP library that the SDK uses (`httpx` or `httpx2`)."""


class Wire:
    """The network as it is."""

    is_cassette = False
    """True if requests that go another way would be missed."""

    def transport(self, wanted: MakeTransport | None) -> MakeTransport | None:
        """Return what replaces the network; None for the network itself.

        Args:
            wanted: The provider's own transport.
        """
        return wanted

    async def send(self, request: Any, send: Callable[[], Awaitable[Any]]) -> Any:
        """Return the response to a request of the HTTP library, whose body may not have been read yet."""
        return await send()


# The interface of the three APIs over which a server is asked: what it is sent, and what it answers.


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
    server_tools: Mapping[str, Mapping[str, Any]]
    """Options that let the server use tools of its own, by the tool's name in `SERVER_TOOLS`."""
    new_decoder: Callable[[Callable[[], str]], AnswerDecoder]
    """Returns a decoder for one response. Its argument makes ids for tool calls that have none."""


SERVER_TOOLS = ("web_search",)
"""Tools of servers that an agent can be given by name, whatever each API calls them."""


# Server command-line options that our error messages quote.


REASONING_PARSERS = "`--reasoning-parser` (vLLM, SGLang) or `--reasoning-format` (llama.cpp)"
"""Options that say how a server tells reasoning from text."""

TOOL_PARSERS = (
    "`--enable-auto-tool-choice` and `--tool-call-parser` (vLLM), `--tool-call-parser` (SGLang) or "
    "`--jinja` (llama.cpp)"
)
"""Options that let a server tell tool calls from text."""
