"""Who answers: the user's server or the built-in demo model, and which model of it."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable

from msgbook.config import DEMO_MODEL, Settings
from msgbook.errors import ConfigError
from msgbook.provider.base import Provider
from msgbook.provider.retry import RetryingProvider

_NAMED_MODELS = 8


class Servers:
    """The providers of one engine, made when they are first needed; connections are kept.

    Args:
        problem: Why the settings could not be read; nobody answers then.
        sleep: Waits some seconds before a server is asked again.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        problem: ConfigError | None,
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self._settings = settings
        self._problem = problem
        self._sleep = sleep
        self._provider: Provider | None = None
        self._demo: Provider | None = None

    async def model(self, wanted: str | None = None) -> str:
        """The model that answers: the wanted one, else the user's, else the server's only one.

        Raises:
            ConfigError: No model is set, and the server offers several; or there are no settings.
            ProviderError: The server cannot be asked.
        """
        if self._problem is not None:
            raise self._problem
        if self._settings.provider is None:
            return DEMO_MODEL
        model = wanted or self._settings.model
        if model:
            return model
        offered = await self.offered_models()
        if len(offered) == 1:
            return offered[0]
        some = ", ".join(offered[:_NAMED_MODELS])
        some += ", ..." if len(offered) > _NAMED_MODELS else ""
        raise ConfigError(
            "No model is chosen. Set MSGBOOK_MODEL, or run %model NAME in a cell above"
            + (f"; the server offers {some}." if offered else "; the server lists none.")
        )

    async def offered_models(self) -> list[str]:
        """Ids of the models that the server offers.

        Raises:
            ConfigError: The settings could not be read.
            ProviderError: The server cannot be asked.
        """
        if self._problem is not None:
            raise self._problem
        provider = self._server() or self._demo_model()
        return await provider.models()

    def provider_of(self, model: str) -> Provider:
        """Who answers for a model."""
        server = self._server() if model != DEMO_MODEL else None
        return server or self._demo_model()

    async def close(self) -> None:
        """Close the connections."""
        for provider in (self._provider, self._demo):
            if provider is not None:
                await provider.close()

    def _server(self) -> Provider | None:
        configured = self._settings.provider
        if self._provider is None and configured is not None:
            from msgbook.provider.openai_chat import OpenAIProvider

            server = OpenAIProvider(configured, secrets=self._settings.secrets)
            self._provider = RetryingProvider(server, sleep=self._sleep, random=random.random)
        return self._provider

    def _demo_model(self) -> Provider:
        if self._demo is None:
            from msgbook.provider.demo import demo_provider

            self._demo = demo_provider()
        return self._demo
