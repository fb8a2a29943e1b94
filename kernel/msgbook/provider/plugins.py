"""The providers of plug-ins, and what their authors need: docs/plugins.md."""

from __future__ import annotations

from asyncio import CancelledError, timeout
from collections.abc import AsyncGenerator, Collection, Iterable, Iterator
from contextlib import aclosing, contextmanager
from typing import Any, Protocol

from msgbook.config import ProviderSettings, redact
from msgbook.errors import ProviderError, Retry
from msgbook.events import StreamEvent
from msgbook.plugins import PROVIDERS, Entry, PluginError, describe_error, find_entries
from msgbook.provider.base import Provider, Request
from msgbook.provider.plugin_events import EventCheck, shown_line
from msgbook.text import one_line, visible

_METHODS = ("stream", "models", "close")
_CLOSING = 5.0
"""Seconds that a plug-in may take to close its connections."""


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
