"""The environment goes before the file: where that replaces the default provider of the file."""

from __future__ import annotations

from collections.abc import Mapping

from msgbook.config.file import SettingsFile
from msgbook.config.providers import OPENAI_URL
from msgbook.config.settings import AdvisedWarning, ProviderSettings


def describe_overridden(
    env: Mapping[str, str],
    file: SettingsFile,
    providers: Mapping[str, ProviderSettings],
    model: str | None,
) -> AdvisedWarning | None:
    """Return a warning that says that the environment's provider is the default, not the first of the file.

    Args:
        providers: By name, the default one first.
        model: Model of the file that is in force; None for none.

    Returns:
        The warning; None if the default is of the file, or is the same server.
    """
    default = next(iter(providers.values()), None)
    first = next(iter(file.provider_names()), None)
    if default is None or not default.from_environment or first in (None, default.name):
        return None
    if not providers[first].plugin and _url(providers[first]) == _url(default):
        return None
    names = [name for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL") if env.get(name, "").strip()]
    set_names = f"{' and '.join(names)} {'are' if len(names) > 1 else 'is'} set"
    asked = f"; the server of the environment is asked for {model!r}" if model else ""
    return AdvisedWarning(
        f"The providers of {file.name} are not the default, because {set_names}{asked}.",
        f"Unset {' and '.join(names)} before you start Jupyter or the command, or name the provider in an agent "
        f'(provider = "{first}"). A key for a provider of the file can be in another variable, which its '
        "api_key_env names.",
    )


def _url(provider: ProviderSettings) -> str:
    return (provider.base_url or OPENAI_URL).rstrip("/")
