"""The providers of plug-ins, and what their authors need: docs/plugins.md."""

from __future__ import annotations

import json
import typing
from asyncio import CancelledError, timeout
from collections.abc import AsyncGenerator, Collection, Iterable, Iterator
from contextlib import aclosing, contextmanager
from dataclasses import replace
from functools import lru_cache
from typing import Any, Protocol

from pydantic import ConfigDict, FiniteFloat, NonNegativeInt, TypeAdapter, ValidationError

from msgbook.config import ProviderSettings, redact
from msgbook.errors import ProviderError, Retry
from msgbook.events import (
    Citations,
    ModelChosen,
    ModelDisplay,
    ModelFinished,
    Notice,
    OutputItem,
    ReasoningDetails,
    RetryWait,
    StreamEvent,
    ToolCallDelta,
)
from msgbook.plugins import PROVIDERS, Entry, PluginError, describe_error, find_entries
from msgbook.provider.answer_quirks import plain_finish_reason
from msgbook.provider.base import Provider, Request
from msgbook.text import one_line, visible

_METHODS = ("stream", "models", "close")
_CLOSING = 5.0
"""Seconds that a plug-in may take to close its connections; the end of a kernel waits for it."""


class ProviderFactory(Protocol):
    """Makes the provider of an entry point, once for each `[providers.NAME]` that names it."""

    def __call__(self, settings: ProviderSettings) -> Provider:
        """Return the provider. Of the settings, `name`, `base_url`, `api_key`, `headers` and `options` count."""
        ...


def plugin_provider(
    settings: ProviderSettings, off: Collection[str], secrets: Iterable[str]
) -> Provider:
    """Return the provider that the plug-in of the settings makes.

    Args:
        off: Plug-ins that are turned off.
        secrets: Redacted from every error message.

    Raises:
        PluginError: There is none, or it cannot be used.
    """
    entry = find_provider_entry(settings, off)
    factory = entry.load()
    try:
        with entry.running("is not used"):
            made = factory(settings)
            missing = [name for name in _METHODS if not callable(getattr(made, name, None))]
    except PluginError as error:
        raise PluginError(redact(str(error), secrets)) from None
    if missing:
        raise PluginError(
            f"{entry} is not used: expected a provider, with the methods {', '.join(_METHODS)}, but got "
            f"{type(made).__name__} without {', '.join(missing)}."
        )
    return _CheckedProvider(settings.name, made, entry, secrets)


def find_provider_entry(settings: ProviderSettings, off: Collection[str]) -> Entry:
    """Return the entry point that `plugin` of `[providers.NAME]` names, without importing anything.

    Raises:
        PluginError: There is none, or there are two.
    """
    entries, problems = find_entries(PROVIDERS, off)
    for entry in entries:
        if entry.name == settings.plugin:
            return entry
    known = ", ".join(visible(one_line(entry.name, 60)) for entry in entries) or "none"
    raise PluginError(
        f"[providers.{settings.name}] has plugin = {visible(one_line(settings.plugin, 60))!r}, but no installed "
        f"plug-in adds that provider. They add: {known}. {' '.join(problems)}".rstrip()
    )


class _CheckedProvider:
    """Makes the errors of a plug-in's provider those of a server."""

    def __init__(self, name: str, provider: Provider, entry: Entry, secrets: Iterable[str]) -> None:
        self.name = name
        self._provider = provider
        self._entry = entry
        self._secrets = tuple(secrets)

    async def stream(self, request: Request) -> AsyncGenerator[StreamEvent]:
        check = EventCheck(self._secrets)
        with self._plain_errors():
            answer = self._provider.stream(request)
            self._check(answer, "stream", AsyncGenerator)
            async with aclosing(answer) as events:
                async for event in events:
                    yield check.passed(event)

    async def models(self) -> list[str]:
        with self._plain_errors():
            found: object = await self._provider.models()
            self._check(found, "models", list)
            return [str(name) for name in found]  # type: ignore[attr-defined]  # checked above

    async def close(self) -> None:
        with self._plain_errors():
            async with timeout(_CLOSING):
                await self._provider.close()

    def _check(self, found: object, method: str, expected: Any) -> None:
        if not isinstance(found, expected):
            raise TypeError(f"{method}() gave a {type(found).__name__}")

    @contextmanager
    def _plain_errors(self) -> Iterator[None]:
        try:
            yield
        except ProviderError as error:
            raise self._redacted(error) from None
        except (CancelledError, GeneratorExit):  # the turn was stopped
            raise
        except BaseException as error:  # a plug-in is code of any author
            words = redact(f"{self._entry} failed: {describe_error(error)}", self._secrets)
            name = shown_line(type(error).__name__, self._secrets)
            raise ProviderError(name, words) from error

    def _redacted(self, error: ProviderError) -> ProviderError:
        """Return the same error, of the same class, without secrets and with texts of one line."""
        error.args = (shown_line(error, self._secrets), *error.args[1:])
        error.name = shown_line(error.name, self._secrets)
        retry = error.retry if isinstance(error.retry, Retry) else None
        error.retry = retry and retry._replace(reason=shown_line(retry.reason, self._secrets))
        return error


# The events of a plug-in's provider, checked before a turn is made of them.


_EVENTS = typing.get_args(StreamEvent)

_FORMS: dict[str, Any] = {"seconds": FiniteFloat, "usage": dict[str, NonNegativeInt] | None}
"""Types of fields that are narrower than, or not checked by, their annotation."""


class EventCheck:
    """Checks the events of one model call."""

    def __init__(self, secrets: Iterable[str]) -> None:
        self._secrets = tuple(secrets)
        self._calls = 0
        self._finished = False

    def passed(self, event: Any) -> StreamEvent:
        """Return an event. Its line for the reader, if it has one, is without secrets.

        Raises:
            TypeError: It is not an event, one of its fields has another type, or it comes out of order.
        """
        if not isinstance(event, _EVENTS):
            raise TypeError(f"stream() gave a {type(event).__name__}")
        what = f"stream() gave a {type(event).__name__}"
        if self._finished:
            raise TypeError(f"{what} after ModelFinished")
        for field, adapter in _adapters(event.__class__):
            value = getattr(event, field)
            try:
                adapter.validate_python(value)
            except ValidationError:
                raise TypeError(f"{what} with a wrong {field}: {type(value).__name__}") from None
        _require_json(_json_of(event))
        return self._in_order(event)

    def _in_order(self, event: StreamEvent) -> StreamEvent:
        match event:
            case ToolCallDelta(index=index):
                if not 0 <= index <= self._calls:
                    expected = f"expected 0 to {self._calls}"
                    raise TypeError(f"stream() gave a ToolCallDelta with index {index}, {expected}")
                self._calls = max(self._calls, index + 1)
            case ModelFinished():
                self._finished = True
                return replace(event, finish_reason=plain_finish_reason(event.finish_reason))
            case Notice():
                return replace(event, text=shown_line(event.text, self._secrets))
            case RetryWait():
                return replace(event, reason=shown_line(event.reason, self._secrets))
            case ModelChosen():
                return replace(event, model=shown_line(event.model, self._secrets))
        return event


def shown_line(value: object, secrets: Iterable[str]) -> str:
    """Return a text of a plug-in on one line, without secrets and invisible characters."""
    return visible(one_line(redact(str(value), secrets)))


def _json_of(event: StreamEvent) -> Any:
    """Return the part of an event that is saved as it is; None if it has none."""
    match event:
        case ToolCallDelta(extra=value) | ReasoningDetails(details=value):
            return value
        case OutputItem(item=value) | Citations(citations=value) | ModelDisplay(data=value):
            return value
    return None


def _require_json(value: Any) -> None:
    """Raise `TypeError` for what cannot be saved in a notebook."""
    try:
        json.dumps(value, allow_nan=False)
    except (ValueError, RecursionError) as error:
        raise TypeError(f"stream() gave something that is not JSON: {error}") from None


@lru_cache(32)
def _adapters(kind: type) -> tuple[tuple[str, TypeAdapter[Any]], ...]:
    """Return the name and the type of each field of an event."""
    hints = {name: _FORMS.get(name, hint) for name, hint in typing.get_type_hints(kind).items()}
    strict = ConfigDict(strict=True)
    return tuple((name, TypeAdapter(hint, config=strict)) for name, hint in hints.items())
