"""A new provider for a server of the settings."""

from __future__ import annotations

from msgbook.config import ProviderSettings, Settings
from msgbook.errors import ConfigError
from msgbook.ids import Ids
from msgbook.provider.base import Provider
from msgbook.provider.wire import Wire


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
    from msgbook.provider.openai_server import OpenAIProvider

    return OpenAIProvider(server, secrets=settings.secrets, ids=ids, wire=wire)
