"""The providers of a session, made on first use, and the choice of the model that answers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any

from msgbook.config import DEMO_MODEL, ProviderSettings, Settings
from msgbook.errors import RESTART, ConfigError, NoModelListError
from msgbook.events import RetryWait
from msgbook.ids import Ids
from msgbook.messages import ApiName
from msgbook.provider.asking import Asking, Learned
from msgbook.provider.base import Provider, Request, Wire
from msgbook.provider.pace import Paces
from msgbook.text import join_first, one_line, visible

if TYPE_CHECKING:
    from msgbook.provider.server_provider import ServerProvider

_NAMED = 8
"""Most names that an error lists."""


class Servers:
    """The providers of one session. They keep their connections.

    A provider name of None stands for the default provider.

    Args:
        problem: The error with which the settings could not be read; each method raises it.
        sleep: Waits some seconds before a request is repeated.
        ids: Makes the ids of calls that come without one.
        wire: Records what is sent and answered, or replaces the network.
        paces: Of the servers, where several sessions share them; by default this one's own.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        problem: ConfigError | None,
        sleep: Callable[[float], Awaitable[bool | None]],
        ids: Ids | None = None,
        wire: Wire = Wire(),  # noqa: B008 - it holds nothing
        paces: Paces | None = None,
    ) -> None:
        self._paces = paces or Paces()
        self._settings = settings
        self._problem = problem
        self._sleep = sleep
        self._ids = ids or Ids()
        self._wire = wire
        self._providers: dict[str, Provider] = {}
        self._learned: dict[str, Learned] = {}

    async def choose_model(
        self,
        wanted: str | None = None,
        provider: str | None = None,
        notify: Callable[[RetryWait], None] = lambda wait: None,
    ) -> str:
        """Return the model that answers: the wanted one, else the user's, else the server's only one.

        The user's model belongs to the default provider; another server may not know that name. A
        server that is loading its model is waited for.

        Args:
            notify: Gets the waits.

        Raises:
            ConfigError: No model is set and the server offers several, or as `find_settings`.
            ProviderError: The server cannot be asked.
        """
        model = self.choose_known_model(wanted, provider)
        if model is not None:
            return model
        try:
            offered = await self._asking(self.find_settings(None, provider)).models_when_loaded(
                notify
            )
        except NoModelListError as error:
            raise self._no_model(
                provider, f"The server does not list its models. {error}", "NAME"
            ) from None
        if len(offered) == 1:
            return offered[0]
        listed = f"offers {_listed(offered)}" if offered else "lists none"
        raise self._no_model(provider, f"The server {listed}.", _listed(offered[:1]) or "NAME")

    def _no_model(self, provider: str | None, why: str, example: str) -> ConfigError:
        server = self.find_settings(None, provider)
        is_default = server is None or server is self._settings.provider
        which = "" if server is None or is_default else f" for the provider {server.name}"
        lasting = (
            "set MSGBOOK_MODEL before you start Jupyter or the command"
            if is_default
            else "name it in the agent's models"
        )
        return ConfigError(
            f"No model is chosen{which}. {why} Write %model {example} in a cell above, use --model in a "
            f"command, or {lasting}."
        )

    def choose_known_model(
        self, wanted: str | None = None, provider: str | None = None
    ) -> str | None:
        """Choose a model like `choose_model`, but return None instead of asking the server."""
        server = self.find_settings(wanted, provider)
        if server is None:
            return DEMO_MODEL
        is_default = server is self._settings.provider
        return wanted or (self._settings.model if is_default else None) or None

    async def list_models(self, provider: str | None = None) -> list[str]:
        """Return the ids of the models that the server offers.

        Raises:
            ConfigError: As `find_settings`.
            ProviderError: The server cannot be asked.
        """
        return await self._asking(self.find_settings(None, provider)).models()

    def find_settings(
        self, model: str | None, provider: str | None = None
    ) -> ProviderSettings | None:
        """Return the settings of a model's server; None if the demo model answers.

        Args:
            model: None for any model of the server.

        Raises:
            ConfigError: The settings could not be read, or the provider is not configured or cannot
                be used.
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
            known = _listed(self._settings.providers) or "no providers"
            raise ConfigError(
                f"The provider {named!r} is not in your configuration, which has {known}. "
                f"Add it to {self._settings.file} as [providers.NAME], and {RESTART}."
            )
        if found.problem:
            raise ConfigError(f"{found.problem} Correct it, and {RESTART}.")
        return found

    def find_provider(
        self, model: str, provider: str | None = None, alternatives: Sequence[str] = ()
    ) -> Provider:
        """Return the provider that answers for a model; it repeats requests that may succeed later.

        Args:
            alternatives: Models that answer, in this order, if the server does not know those before.

        Raises:
            ConfigError: As `find_settings`, or the plug-in of the provider cannot be used.
        """
        server = self.find_settings(model, provider)
        models = [model, *alternatives] if alternatives and server is not None else ()
        return self._asking(server, models)

    def accepts_images(self, model: str, provider: str | None = None) -> bool:
        """Return whether a model accepts images, as far as is known."""
        found = self._asked_before(provider)
        return found is None or found.is_nothing or found.adaptations.accepts_images(model)

    def accepts_documents(self, model: str, provider: str | None = None) -> bool:
        """Return whether a model accepts PDFs as documents, as far as is known."""
        server = self.find_settings(model, provider)
        if server is None or not server.documents:
            return False
        found = self._asked_before(provider)
        return found is None or found.is_nothing or found.adaptations.accepts_documents(model)

    def adapt(self, request: Request, provider: str | None = None) -> Request:
        """Return the request as it is sent: without anything that its server has refused before."""
        found = self._asked_before(provider)
        if found is None or not found.concern(request):
            return request
        return found.adaptations.adapt(request)

    def forget_refused_tools(self) -> None:
        """Offer tools again that a server has refused, since their definitions have changed."""
        for learned in self._learned.values():
            if not learned.is_nothing:
                learned.adaptations.forget_tools()

    async def close(self) -> None:
        """Close the connections."""
        async with AsyncExitStack() as closing:
            for provider in self._providers.values():
                closing.push_async_callback(provider.close)

    def _asked_before(self, provider: str | None) -> Learned | None:
        default = self._settings.provider
        return self._learned.get(provider or (default.name if default else ""))

    def _asking(self, server: ProviderSettings | None, models: Sequence[str] = ()) -> Asking:
        """Return what asks a server; None stands for the demo model."""
        name = "" if server is None else server.name
        if name not in self._providers:
            provider = self._providers[name] = self._new_provider(server)
            takes_documents = server is None or server.documents
            self._learned[name] = Learned(provider.name, takes_documents=takes_documents)
        return Asking(
            self._providers[name],
            learned=self._learned[name],
            pace=self._paces.of(server),
            sleep=None if server is None else self._sleep,
            models=models,
        )

    def _new_provider(self, server: ProviderSettings | None) -> Provider:
        if server is not None:
            return new_provider(server, self._settings, self._ids, self._wire)
        from msgbook.provider.demo_model import demo_provider

        return demo_provider(self._wire)


def describe_demo_model(model: str, wanted: str) -> str:
    """Return a line that says that the demo model answers although another one is wanted."""
    return (
        f"No server is set: {model} answers, not {visible(one_line(wanted, 60))}. "
        "To set one, run `msgbook doctor --setup` in a terminal."
    )


def _listed(names: Iterable[str]) -> str:
    return join_first([visible(one_line(name, 60)) for name in names], _NAMED)


# A new provider for a server of the settings.


def new_provider(
    server: ProviderSettings,
    settings: Settings,
    ids: Ids | None = None,
    wire: Wire = Wire(),  # noqa: B008 - it holds nothing
) -> Provider:
    """Return a provider that talks to one server, or that of a plug-in.

    Args:
        settings: All settings of the user.
        ids: Makes ids for tool calls that have none.
        wire: Records what is sent and answered, or replaces the network.

    Raises:
        ConfigError: The plug-in cannot be used, or not with this wire.
    """
    if server.plugin and wire.is_cassette:
        raise ConfigError(
            f"The provider {server.name} belongs to a plug-in, whose requests no cassette can hold. Run "
            "without a cassette, or with another provider."
        )
    if server.plugin:
        from msgbook.provider.plugins import plugin_provider

        return plugin_provider(server, settings.plugins_off, settings.secrets)
    return server_class(server)(server, secrets=settings.secrets, ids=ids, wire=wire)


def import_sdk_of(api: ApiName) -> Any:
    """Return the package of the SDK that asks over an API; None if it is not installed."""
    if api != "anthropic":
        from msgbook.provider.http import import_sdk

        return import_sdk()
    from msgbook.provider.anthropic.server import import_anthropic, missing_requirement

    return None if missing_requirement() else import_anthropic()


def server_class(server: ProviderSettings) -> type[ServerProvider]:
    """Return the class of the provider of a server: its SDK is that of the API."""
    if server.api == "anthropic":
        from msgbook.provider.anthropic.server import AnthropicProvider

        return AnthropicProvider
    from msgbook.provider.openai_server import OpenAIProvider

    return OpenAIProvider
