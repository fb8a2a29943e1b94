"""The real provider: any OpenAI-compatible server, through the openai SDK. Its only importer.

The SDK brings authentication, timeouts and connections; the body is read raw, since its typed
chunks cost seven times as much and drop what servers add.
"""

from __future__ import annotations

import asyncio
import importlib
import sys
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from msgbook.config import ProviderSettings, redact
from msgbook.errors import ProviderError
from msgbook.events import StreamEvent
from msgbook.provider.base import Request
from msgbook.provider.decode import CompletionDecoder
from msgbook.provider.fields import error_message
from msgbook.text import one_line

if TYPE_CHECKING:
    import openai

NO_KEY = "none"
"""Sent as the key to a server that was set without one (Ollama, vLLM)."""


class OpenAIProvider:
    """Talks to one server.

    Args:
        settings: Where it is and how to be let in.
        transport: Makes what stands in place of the network, out of the HTTP library that the SDK
            rides on: `httpx` (2.x, in part) or `httpx2`. The built-in demo model answers through it.
        secrets: Kept out of every error message.
    """

    def __init__(
        self,
        settings: ProviderSettings,
        *,
        transport: Callable[[Any], Any] | None = None,
        secrets: tuple[str, ...] = (),
    ) -> None:
        self.name = settings.name
        self._settings = settings
        self._transport = transport
        self._secrets = secrets
        self._client: openai.AsyncOpenAI | None = None

    async def stream(self, request: Request) -> AsyncGenerator[StreamEvent]:
        client = await self._connected()
        decoder = CompletionDecoder()
        body: dict[str, Any] = {"model": request.model, "messages": request.messages}
        if request.tools:
            body["tools"] = request.tools
        with self._plain_errors(request.model):
            async with client.chat.completions.with_streaming_response.create(
                **body, stream=True, stream_options={"include_usage": True}
            ) as response:
                async for chunk in response.iter_bytes():
                    for event in decoder.feed(chunk):
                        yield event
            for event in decoder.end():
                yield event

    async def models(self) -> list[str]:
        client = await self._connected()
        with self._plain_errors(None):
            try:
                answer = await client.get("/models", cast_to=object)
            except ValueError as error:
                raise ProviderError("NotAList", self._no_models(error)) from None
            found = answer.get("data") if isinstance(answer, dict) else answer
            if not isinstance(found, list):
                raise ProviderError("NotAList", self._no_models(answer))
            ids = (model.get("id") for model in found if isinstance(model, dict))
            return [one_line(name) for name in ids if isinstance(name, str)]

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()
            self._client = None

    async def _connected(self) -> openai.AsyncOpenAI:
        if self._client is None:
            sdk = await asyncio.to_thread(importlib.import_module, "openai")
            self._client = self._new_client(sdk)
        return self._client

    def _new_client(self, sdk: Any) -> openai.AsyncOpenAI:
        options: dict[str, Any] = {}
        if self._transport is not None:
            http = _http_library(sdk)
            options["http_client"] = http.AsyncClient(transport=self._transport(http))
        client: openai.AsyncOpenAI = sdk.AsyncOpenAI(
            api_key=self._settings.api_key or NO_KEY,
            base_url=self._settings.base_url,
            default_headers=dict(self._settings.headers) or None,
            max_retries=0,
            **options,
        )
        return client

    @contextmanager
    def _plain_errors(self, model: str | None) -> Iterator[None]:
        """Turn the SDK's errors, and those of the HTTP library below it, into ours."""
        import openai

        try:
            yield
        except ProviderError as error:
            raise ProviderError(error.name, redact(str(error), self._secrets)) from None
        except openai.APIStatusError as error:
            raise self._status_error(error, model) from None
        except (openai.APIConnectionError, OSError, ExceptionGroup) as error:
            raise self._connection_error(error) from None
        except openai.OpenAIError as error:
            raise ProviderError(type(error).__name__, self._clean(str(error))) from None
        except Exception as error:
            if not _is_transport_error(error):
                raise
            raise self._connection_error(error) from None

    def _status_error(self, error: openai.APIStatusError, model: str | None) -> ProviderError:
        said = self._clean(error_message(_error_of(error)))
        match error.status_code:
            case 401 | 403:
                hint = f"Check {self._key_setting()}."
            case 404 if model is not None:
                hint = (
                    f"Check the model's name (it was {model!r}; MSGBOOK_MODEL or %model set it, "
                    f"%models lists those there are) and {self._url_setting()}."
                )
            case 404:
                hint = f"Check {self._url_setting()} (it usually ends in /v1)."
            case 429:
                hint = "The server limits the rate or the budget is used up; try again later."
            case _:
                hint = ""
        message = f"The server answered {error.status_code}: {said.rstrip('.')}. {hint}".strip()
        return ProviderError(type(error).__name__, message)

    def _connection_error(self, error: BaseException) -> ProviderError:
        # The SDK says only "Connection error."; what lies below tells why.
        cause = error.__cause__ or error
        while isinstance(cause, ExceptionGroup):
            cause = cause.exceptions[0]
        why = self._clean(str(cause)).rstrip(".") or type(cause).__name__
        return ProviderError(
            "APIConnectionError",
            f"The connection to {_shown(self._settings.base_url)} failed: {why}. "
            f"Is the server running? Check {self._url_setting()}.",
        )

    def _key_setting(self) -> str:
        if self.name == "openai":
            return "OPENAI_API_KEY"
        return f"api_key_env or headers of [providers.{self.name}] in msgbook.toml"

    def _url_setting(self) -> str:
        if self.name == "openai":
            return "OPENAI_BASE_URL"
        return f"base_url of [providers.{self.name}] in msgbook.toml"

    def _no_models(self, answer: object) -> str:
        said = self._clean(str(answer))[:120]
        return f"Expected a list of models, but got {said!r}. Check {self._url_setting()}."

    def _clean(self, text: str) -> str:
        return redact(one_line(text), self._secrets)


def _shown(url: str | None) -> str:
    """A URL without what may be secret in it: user, password, query."""
    if url is None:
        return "the OpenAI API"
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def _http_library(sdk: Any) -> Any:
    bases = sdk.DefaultAsyncHttpxClient.__mro__
    client = next(base for base in bases if base.__name__ == "AsyncClient")
    return sys.modules[client.__module__.partition(".")[0]]


def _error_of(error: openai.APIStatusError) -> Any:
    body = error.body
    if isinstance(body, dict):
        return body.get("error", body)
    return body or error.message


def _is_transport_error(error: Exception) -> bool:
    """Whether the error is of the HTTP library; openai 2.x rides on httpx, 3.x on httpx2."""
    names = ("RequestError", "StreamError", "InvalidURL")
    return any(base.__name__ in names for base in type(error).__mro__)
