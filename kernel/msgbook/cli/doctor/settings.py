"""Settings in force and their origins. They never include a secret."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path

from msgbook.config import DEMO_MODEL, Limits, ProviderSettings, Settings, config_path
from msgbook.provider import Servers, shown_url

PROJECT = ".msgbook/config.toml"
"""Name of a project's configuration file, for the user."""


def select_provider(settings: Settings, provider: str | None, model: str | None) -> Settings:
    """Return the settings with another default provider and model.

    Args:
        provider: Name of a provider in the settings; None for the default.
        model: None for the configured model, which belongs to the default provider.

    Raises:
        ConfigError: There is no such provider, or it cannot be used.
    """
    server = Servers(settings, problem=None, sleep=asyncio.sleep).find_settings(None, provider)
    if server is not None and server is not settings.provider:
        settings = replace(settings, providers={server.name: server}, model=None)
    return replace(settings, model=model, model_origin="--model") if model else settings


def describe_settings(
    settings: Settings, env: Mapping[str, str], path: Path | None
) -> dict[str, str]:
    """Return the settings by name, with value and origin, for the user to read.

    Args:
        env: Environment from which the settings were read.
        path: File from which they were read; None if there is none.
    """
    file = path.name if path else "msgbook.toml"
    lines = {"file": str(path) if path else "none (environment variables only)"}
    provider = settings.provider
    if provider is None:
        lines["server"] = "none is configured: the built-in demo model answers"
    else:
        lines |= _server(provider, file)
    lines["model"] = _model(settings)
    lines["approval"] = _with_origin(settings.approval, "MSGBOOK_APPROVAL", env)
    limits = Limits(**settings.limits)  # type: ignore[arg-type]  # integers where needed
    in_force, _ = limits.narrow(settings.project_limits)
    values = {key: value for key, value in asdict(in_force).items() if value is not None}
    lines["limits"] = ", ".join(f"{key} {value:,}" for key, value in values.items())
    lowered = [key for key, value in asdict(limits).items() if value != values.get(key)]
    if lowered:
        lines["project"] = f"lowers {', '.join(lowered)} ({PROJECT})"
    return lines


def file_to_change(env: Mapping[str, str]) -> str:
    """Return the name of the configuration file, or its whole path if it has to be created."""
    path = config_path(env)
    if path is not None:
        return path.name
    from jupyter_core.paths import jupyter_config_dir

    return str(Path(jupyter_config_dir(), "msgbook.toml"))


def describe_other_names(settings: Settings) -> dict[str, str]:
    """Return the names of providers, agents and MCP servers."""
    lines = {}
    if len(settings.providers) > 1:
        lines["providers"] = ", ".join(_listed(p, settings) for p in settings.providers.values())
    if settings.agents:
        lines["agents"] = ", ".join(settings.agents)
    if settings.mcp_servers:
        lines["mcp"] = ", ".join(settings.mcp_servers)
    return lines


def _listed(provider: ProviderSettings, settings: Settings) -> str:
    word = " (the default)" if provider is settings.provider else ""
    return f"{provider.name} (cannot be used)" if provider.problem else provider.name + word


def _server(provider: ProviderSettings, file: str) -> dict[str, str]:
    table = f"[providers.{provider.name}] of {file}"
    where = "OPENAI_BASE_URL" if provider.from_environment else table
    if provider.plugin:
        return _plugin(provider, where)
    url = shown_url(provider.base_url)
    lines = {"server": f"{url} ({where})" if provider.base_url else url}
    lines["api"] = _api(provider, file)
    if provider.api_key:
        lines["key"] = f"is set ({_key_origin(provider)})"
    elif provider.headers:
        lines["key"] = "none, except in the headers"
    else:
        lines["key"] = f'none, so "none" is sent ({_key_origin(provider)} is not set)'
    if provider.headers:
        lines["headers"] = f"{', '.join(provider.headers)} ({where})"
    if provider.prices:
        lines["prices"] = f"of {', '.join(provider.prices)} ({file})"
    wants = [key for key in ("keep_reasoning", "alternate") if getattr(provider, key)]
    if wants:
        lines["options"] = f"{', '.join(wants)} ({file})"
    return lines


def _key_origin(provider: ProviderSettings) -> str:
    if provider.saved_key:
        return provider.saved_key.words
    return provider.key_variable or "api_key_env"


def _api(provider: ProviderSettings, file: str) -> str:
    if provider.is_api_set:
        return f"{provider.api} ([providers.{provider.name}] of {file})"
    return f"{provider.api} (the default for this server)"


def _plugin(provider: ProviderSettings, where: str) -> dict[str, str]:
    lines = {"server": f"the plug-in's provider {provider.plugin} ({where})"}
    if provider.base_url:
        lines["url"] = shown_url(provider.base_url)
    if provider.api_key:
        lines["key"] = f"is set ({_key_origin(provider)})"
    if provider.options:
        lines["options"] = ", ".join(provider.options)
    return lines


def _model(settings: Settings) -> str:
    if settings.model is None:
        if settings.provider is None:
            return f"{DEMO_MODEL}, the built-in model: no server is configured"
        return "none is set; if the server offers only one, that one answers"
    return f"{settings.model} ({settings.model_origin})"


def _with_origin(value: str, variable: str, env: Mapping[str, str]) -> str:
    return f"{value} ({variable if variable in env else 'the default'})"
