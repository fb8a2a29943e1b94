"""Who answers: one of the user's servers or the built-in demo model, and which model of it."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Iterable
from contextlib import AsyncExitStack

from msgbook.config import DEMO_MODEL, ProviderSettings, Settings
from msgbook.errors import ConfigError
from msgbook.provider.adapting import AdaptingProvider
from msgbook.provider.base import Provider, Request
from msgbook.provider.retry import RetryingProvider
from msgbook.text import one_line, visible

_NAMED = 8
"""Names that an error lists."""


class Servers:
    """The providers of one engine, made when they are first needed; connections are kept.

    Where a provider can be named, None is the default one.

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
        self._adapting: dict[str, AdaptingProvider] = {}
        self._demo: Provider | None = None

    async def model(self, wanted: str | None = None, provider: str | None = None) -> str:
        """The model that answers: the wanted one, else the user's, else the server's only one.

        The user's is one of the default provider: another server may know none of that name, or
        another one.

        Raises:
            ConfigError: No model is set, and the server offers several; the provider is none of the
                user's, or cannot be used; or there are no settings.
            ProviderError: The server cannot be asked.
        """
        model = self.known_model(wanted, provider)
        if model is not None:
            return model
        offered = await self.offered_models(provider)
        if len(offered) == 1:
            return offered[0]
        server = self.settings_of(wanted, provider)
        is_default = server is None or server is self._settings.provider
        which = "" if server is None or is_default else f" for the provider {server.name}"
        how = "Set MSGBOOK_MODEL," if is_default else "Name it in the agent's models,"
        raise ConfigError(
            f"No model is chosen{which}. {how} in a command --model, or %model NAME in a cell above; "
            + (f"the server offers {_listed(offered)}." if offered else "the server lists none.")
        )

    def known_model(self, wanted: str | None = None, provider: str | None = None) -> str | None:
        """As `model`, without asking the server: None where only that would tell.

        Raises:
            ConfigError: The provider is none of the user's, or cannot be used; or there are no
                settings.
        """
        server = self.settings_of(wanted, provider)
        if server is None:
            return DEMO_MODEL
        is_default = server is self._settings.provider
        return wanted or (self._settings.model if is_default else None) or None

    async def offered_models(self, provider: str | None = None) -> list[str]:
        """Ids of the models that the server offers.

        Raises:
            ConfigError: The settings could not be read, or the provider cannot be used.
            ProviderError: The server cannot be asked.
        """
        server = self.settings_of(None, provider)
        asked = self._server(server) if server is not None else self._demo_model()
        return await asked.models()

    def settings_of(
        self, model: str | None, provider: str | None = None
    ) -> ProviderSettings | None:
        """How a model's server is reached; None where the built-in demo model answers.

        Args:
            model: None for any of the server's.

        Raises:
            ConfigError: The settings could not be read; or the provider is none of the user's, or
                cannot be used.
        """
        if self._problem is not None:
            raise self._problem
        if model == DEMO_MODEL:
            return None
        if provider is None:
            return self._settings.provider
        found = self._settings.providers.get(provider)
        if found is None:
            named = visible(one_line(provider, 60))
            known = _listed(self._settings.providers) or "none"
            raise ConfigError(
                f"There is no provider {named!r} in your configuration; there is {known}. "
                "Providers are set in msgbook.toml, as [providers.NAME]."
            )
        if found.problem:
            raise ConfigError(found.problem)
        return found

    def provider_of(self, model: str, provider: str | None = None) -> Provider:
        """Who answers for a model.

        Raises:
            ConfigError: As `settings_of`.
        """
        server = self.settings_of(model, provider)
        if server is None:
            return self._demo_model()
        return RetryingProvider(self._server(server), sleep=self._sleep, random=random.random)

    def sees(self, model: str, provider: str | None = None) -> bool:
        """Whether a model takes images, as far as its server has told."""
        found = self._asked_before(provider)
        return found is None or found.sees(model)

    def adapted(self, request: Request, provider: str | None = None) -> Request:
        """The request as it is sent: without what its server has refused before."""
        found = self._asked_before(provider)
        return request if found is None else found.adapted(request)

    async def close(self) -> None:
        """Close the connections."""
        async with AsyncExitStack() as closing:
            for provider in (self._demo, *self._adapting.values()):
                if provider is not None:
                    closing.push_async_callback(provider.close)

    def _asked_before(self, provider: str | None) -> AdaptingProvider | None:
        default = self._settings.provider
        return self._adapting.get(provider or (default.name if default else ""))

    def _server(self, settings: ProviderSettings) -> AdaptingProvider:
        if settings.name not in self._adapting:
            from msgbook.provider.openai_chat import OpenAIProvider

            server = OpenAIProvider(settings, secrets=self._settings.secrets)
            # A refusal is met below the retries: some servers give it a status that is retried.
            self._adapting[settings.name] = AdaptingProvider(server)
        return self._adapting[settings.name]

    def _demo_model(self) -> Provider:
        if self._demo is None:
            from msgbook.provider.demo_model import demo_provider

            self._demo = demo_provider()
        return self._demo


def _listed(names: Iterable[str]) -> str:
    shown = [visible(one_line(name, 60)) for name in names]
    return ", ".join(shown[:_NAMED]) + (", ..." if len(shown) > _NAMED else "")
