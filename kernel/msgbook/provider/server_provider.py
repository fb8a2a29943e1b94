"""The provider for a server, whichever SDK asks it: how an answer is read, and what becomes of its errors.

An SDK brings authentication, timeouts and connections; `openai_server` and `anthropic.server` each import one. The body
is read raw: the SDKs' typed chunks take seven times as long and drop the keys that servers add.
"""

from __future__ import annotations

import asyncio
import json
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager, contextmanager, suppress
from dataclasses import replace
from operator import is_
from typing import Any

from msgbook.config import ProviderSettings, server_url, split_query
from msgbook.errors import (
    AnswerCutError,
    LostConnectionError,
    NoModelListError,
    ProviderError,
    UnusableSettingError,
)
from msgbook.events import ModelFinished, Notice, StreamEvent, UsageReported
from msgbook.ids import Ids
from msgbook.network import NetworkProblem, find_route
from msgbook.provider.apis import find_api
from msgbook.provider.base import AnswerDecoder, MakeTransport, Request, Wire
from msgbook.provider.error_quirks import ReportedError
from msgbook.provider.failures import Failures, RefusedError
from msgbook.provider.http import (
    error_body,
    http_client,
    is_transport_error,
)
from msgbook.text import one_line
from msgbook.throttle import SLICE, Breath, sliced
from msgbook_format.typed import as_dicts, as_texts

NO_KEY = "none"
"""Key for a server that is configured without one (Ollama, vLLM)."""

_ASKED_AGAIN = "The server returned an empty stream, so the request was repeated without streaming."

LINGER = 5.0
"""Seconds to wait after a finish reason: usage or `[DONE]` may follow, or nothing."""


class _SilentError(Exception):
    """A streamed answer without a word."""


class ServerProvider(ABC):
    """Talks to one server.

    Args:
        settings: URL, key and headers.
        transport: Replaces the network; made from the HTTP library that the SDK uses (`httpx` or
            `httpx2`). The demo model answers through it.
        secrets: Redacted from every error message.
        linger: Seconds to wait for more after a finish reason.
        ids: Makes the ids of calls that come without one.
        wire: Records what is sent and answered, or replaces the network, too.
    """

    def __init__(
        self,
        settings: ProviderSettings,
        *,
        transport: MakeTransport | None = None,
        secrets: tuple[str, ...] = (),
        linger: float = LINGER,
        ids: Ids | None = None,
        wire: Wire = Wire(),  # noqa: B008 - it holds nothing
    ) -> None:
        self.name = settings.name
        self._settings = settings
        self._transport = transport
        self._linger = linger
        self._ids = ids or Ids()
        self._wire = wire
        self._api = find_api(settings.api)
        self._base_url, self._query = split_query(settings.base_url or "")
        self._failures = Failures(settings, secrets)
        self._streaming = self._api.streaming
        self._client: Any = None
        """The client of the SDK, once there was a request."""
        self._sdk: Any = None
        self._encoder = BodyEncoder()

    async def stream(self, request: Request) -> AsyncGenerator[StreamEvent]:
        client = await self._connected()
        streaming: Mapping[str, Any] | None = self._streaming
        while streaming is not None:
            body = self._api.make_body(request, streaming)
            try:
                async with aclosing(self._answer(client, body, request.model_origin)) as events:
                    async for event in events:
                        self._streaming = streaming
                        yield event
                return
            except RefusedError as error:
                from msgbook.provider.request_quirks import reduce_streaming

                streaming = reduce_streaming(streaming, error)
                if streaming is None:
                    raise
            except _SilentError:
                async with aclosing(self._ask_for_cause(client, request)) as events:
                    async for event in events:
                        yield event
                return

    async def _ask_for_cause(self, client: Any, request: Request) -> AsyncGenerator[StreamEvent]:
        """Ask without streaming. llama-cpp-python says only then that a request is too long."""
        body = self._api.make_body(request, {"stream": False})
        begun = False
        async with aclosing(self._answer(client, body, request.model_origin)) as events:
            async for event in events:
                if not begun and not isinstance(event, ModelFinished):
                    begun = True
                    yield Notice(_ASKED_AGAIN, "warning")
                yield event

    async def _answer(
        self, client: Any, body: dict[str, Any], model_origin: str
    ) -> AsyncGenerator[StreamEvent]:
        """Yield the events of one request. Once an answer has begun, no error but a cut answer ends it."""
        decoder = self._new_decoder(lambda: f"call_{self._ids.new_token(6)}", body["model"])
        reports = _Reports(decoder)
        beginning, has_bytes, has_events = Beginning(), False, False
        try:
            with self._plain_errors(body["model"], model_origin):
                content = self._encoder.encode(body)
                target = f"{self._api.path}{self._query}"
                async with _open(self._sdk, client, target, content) as chunks:
                    over = until_over(chunks, decoder, self._linger)
                    async for chunk in over:
                        has_bytes = True
                        beginning.add(chunk)
                        try:
                            for event in decoder.feed(chunk):
                                has_events = True
                                yield self._shown(event)
                        except ReportedError:
                            if not decoder.done:
                                await _read_usage(over, decoder)
                            raise
                        if decoder.done:
                            break
                        if has_events and (report := reports.take()):
                            yield report
                    await _read_usage(over, decoder)
                if body["stream"] and beginning.is_blank:
                    raise _SilentError
                for event in decoder.end():
                    has_events = True
                    yield self._shown(event)
            self._failures.has_answered |= decoder.has_ended
        except ProviderError as error:
            is_lost = isinstance(error, LostConnectionError)
            report = reports.take()
            if not has_events and not (has_bytes and is_lost):
                if report and report.usage and not isinstance(error, RefusedError):
                    yield report
                raise
            is_complete = is_lost and decoder.has_ended
            for event in decoder.end() if is_complete else decoder.flush():
                yield self._shown(event)
            if not is_complete:
                if report:
                    yield report
                raise AnswerCutError(error.name, f"The answer was cut off. {error.what}") from None

    def _shown(self, event: StreamEvent) -> StreamEvent:
        """Return an event without secrets in what it quotes of the server."""
        if isinstance(event, Notice):
            return replace(event, text=self._failures.without_secrets(event.text))
        if isinstance(event, ModelFinished) and event.finish_reason:
            reason = self._failures.without_secrets(event.finish_reason)
            return replace(event, finish_reason=reason)
        return event

    async def models(self) -> list[str]:
        client = await self._connected()
        with self._plain_errors(None):
            try:
                answer: object = await client.get(self._models_target(), cast_to=object)
            except ValueError as error:
                answer = error
        match answer:
            case {"data": list(found)} | list(found):
                ids = as_texts([model.get("id") for model in as_dicts(found)])
                return [*map(one_line, ids)]
        raise NoModelListError("NotAList", self._no_models(answer))

    def _models_target(self) -> str:
        return f"/models{self._query}"

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()
            self._client = None

    async def _connected(self) -> Any:
        if self._client is None:
            sdk = await asyncio.to_thread(self._import_sdk)
            # Another request may have connected during the import: a second client would stay open.
            self._sdk, self._client = sdk, self._client or self._new_client(sdk)
        return self._client

    @abstractmethod
    def _import_sdk(self) -> Any:
        """Return the package of the SDK."""

    @abstractmethod
    def _make_client(self, sdk: Any, url: str, key: str, http: Any) -> Any:
        """Return a client of the SDK that repeats no request and sends nothing that it finds in the environment.

        Args:
            http: The HTTP client that it uses.
        """

    def _new_decoder(self, new_id: Callable[[], str], model: str) -> AnswerDecoder:
        return self._api.new_decoder(new_id)

    def _new_client(self, sdk: Any) -> Any:
        key = self._settings.api_key or NO_KEY
        # Without a URL, an SDK would read one in the environment, which may be blank.
        url = server_url(self._base_url)
        transport = self._wire.transport(self._transport)
        self._failures.route = route = find_route(url) if transport is None else None
        try:
            return self._make_client(sdk, url, key, http_client(sdk, route, transport, self._wire))
        except NetworkProblem as error:
            raise UnusableSettingError("ConfigError", error.words, advice=error.advice) from None
        except Exception as error:
            if not is_transport_error(error):
                raise
            words = f"The base URL is not one: {self._failures.clean(str(error)).rstrip('.')}."
            raise UnusableSettingError(
                "ConfigError", words, advice=self._failures.check_url
            ) from None

    @contextmanager
    def _plain_errors(self, model: str | None, model_origin: str = "") -> Iterator[None]:
        """Turn the SDK's errors, and those of the HTTP library below it, into ours."""
        sdk, failures = self._sdk, self._failures
        try:
            yield
        except ProviderError as error:
            raise failures.from_answer(error, model, model_origin) from None
        except sdk.APIStatusError as error:
            raise failures.from_status(
                type(error).__name__,
                error.status_code,
                error.response.headers,
                error_body(error),
                model,
                model_origin,
            ) from None
        except (sdk.APIConnectionError, OSError, ExceptionGroup) as error:
            raise failures.from_connection(error) from None
        except sdk.APIError.__base__ as error:
            raise ProviderError(type(error).__name__, failures.clean(str(error))) from None
        except Exception as error:
            if not is_transport_error(error):
                raise
            raise failures.from_connection(error) from None

    def _no_models(self, answer: object) -> str:
        failures = self._failures
        said = failures.clean(str(answer))[:120]
        words = f"Expected a list of models, but got {said!r}. {failures.check_url}"
        return f"{words} {failures.way_advice()}".rstrip()


async def _read_usage(chunks: AsyncIterator[bytes], decoder: AnswerDecoder) -> None:
    """Read what follows the end or an error, for a short while: it may state the usage."""
    with suppress(ProviderError):
        await drain(chunks, decoder.feed_rest)


class _Reports:
    """Tells usage and model as soon as they are known: an answer may be interrupted, or end with an error."""

    def __init__(self, decoder: AnswerDecoder) -> None:
        self._decoder = decoder
        self._told: tuple[Any, Any] = (None, None)

    def take(self) -> UsageReported | None:
        """Return a report of what has changed since the last one; None if nothing has."""
        known = (self._decoder.usage, self._decoder.model)
        if known == self._told:
            return None
        self._told = known
        return UsageReported(*known)


@asynccontextmanager
async def _open(
    sdk: Any, client: Any, path: str, content: bytes
) -> AsyncGenerator[AsyncIterator[bytes]]:
    """Open the answer to a request and yield its bytes.

    An SDK's `create` would check each message and tool by its type. That takes longer than to encode them and
    changes nothing: they are JSON.

    Args:
        content: The body.
    """
    stream = await client.post(
        path,
        content=content,
        cast_to=object,
        stream=True,
        stream_cls=sdk.AsyncStream[object],
    )
    try:
        yield stream.response.aiter_bytes()
    finally:
        await stream.close()


# Reading the body of an answer: until the answer is over, and then to its end.


_BLANK_LIMIT = 4096
"""Bytes of comments that count as nothing."""

_DRAIN_TIME = 0.5
"""Seconds that the rest of a body may take after the end of its answer."""


async def until_over(
    chunks: AsyncIterator[bytes], decoder: AnswerDecoder, linger: float
) -> AsyncIterator[bytes]:
    """Yield chunks until the body ends, or until an answer with an end marker stays silent.

    Chunks of a fast server come in slices, with pauses: it may send what makes no event at all.
    """
    breath = Breath(SLICE)
    while True:
        limit = asyncio.timeout(linger if decoder.has_ended else None)
        try:
            async with limit:
                chunk = await anext(chunks)
        except StopAsyncIteration:
            return
        except TimeoutError:
            if limit.expired():
                return
            raise
        for piece in sliced(chunk):
            yield piece
            await breath.spend(len(piece))


async def drain(
    chunks: AsyncIterator[bytes], note: Callable[[bytes], None] = lambda _chunk: None
) -> None:
    """Read to the end of the body, so that the connection can be used again.

    Args:
        note: Called with each chunk; the usage may follow an error.

    Some servers mark the end of the answer and keep the body open; those are not waited for.
    """
    try:
        async with asyncio.timeout(_DRAIN_TIME):
            breath = Breath(SLICE)
            async for chunk in chunks:
                note(chunk)
                await breath.spend(len(chunk))
    except TimeoutError:
        return
    except Exception as error:
        if not is_transport_error(error):
            raise


class Beginning:
    """The first bytes of a body, which show whether it says anything."""

    def __init__(self) -> None:
        self._bytes = b""

    def add(self, chunk: bytes) -> None:
        """Keep the chunk if it is among the first bytes."""
        if len(self._bytes) <= _BLANK_LIMIT:
            self._bytes += chunk[: _BLANK_LIMIT + 1]

    @property
    def is_blank(self) -> bool:
        """Return whether nothing came but comments and blank lines."""
        return len(self._bytes) <= _BLANK_LIMIT and all(
            not line or line.startswith(b":") for line in self._bytes.splitlines()
        )


# The bodies of requests as JSON: a conversation is sent whole with each message, and encoded only where it is new.


_CONVERSATIONS = frozenset({"messages", "input"})
"""Keys of a body with a list that grows."""

_JSON = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


class BodyEncoder:
    """Encodes bodies as the SDK does. Items of a conversation that the last one had, too, are not encoded again.

    Nobody may change an item in place.
    """

    def __init__(self) -> None:
        self._last: Sequence[Any] = ()
        """The items of the last body."""
        self._last_encoded: list[bytes] = []

    def encode(self, body: Mapping[str, Any]) -> bytes:
        """Return the JSON of a body."""
        return b"{%b}" % b",".join(
            b"%b:%b" % (_encoded(key), self._encoded(key, value)) for key, value in body.items()
        )

    def _encoded(self, key: str, value: Any) -> bytes:
        is_conversation = key in _CONVERSATIONS and value.__class__ is list
        return b"[%b]" % b",".join(self._items(value)) if is_conversation else _encoded(value)

    def _items(self, items: Sequence[Any]) -> list[bytes]:
        is_longer = len(items) >= len(self._last) and all(map(is_, self._last, items))
        if is_longer:
            encoded = [*self._last_encoded, *map(_encoded, items[len(self._last) :])]
        else:
            known = dict(zip(map(id, self._last), self._last_encoded, strict=True))
            encoded = [known.get(id(item)) or _encoded(item) for item in items]
        self._last, self._last_encoded = list(items), encoded
        return encoded


def _encoded(value: Any) -> bytes:
    return _JSON.encode(value).encode()
