"""Which settings are in force, and where each comes from. Never a secret."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path

from msgbook.config import DEMO_MODEL, Limits, ProviderSettings, Settings
from msgbook.provider import Servers, shown_url

PROJECT = ".msgbook/config.toml"
"""What a project is configured by, as a person knows it."""


def aimed_at(settings: Settings, provider: str | None, model: str | None) -> Settings:
    """The settings as if a provider of theirs were the default one, and a model of it were set.

    Args:
        provider: None for the one that is the default.
        model: None for the one that is set, which is the default provider's.

    Raises:
        ConfigError: There is no such provider, or it cannot be used.
    """
    server = Servers(settings, problem=None, sleep=asyncio.sleep).find_settings(None, provider)
    if server is None or server is settings.provider:
        return replace(settings, model=model or settings.model)
    return replace(settings, providers={server.name: server}, model=model)


def in_force(
    settings: Settings, env: Mapping[str, str], path: Path | None, own_model: str | None
) -> dict[str, str]:
    """Name to value and origin, as a person reads them.

    Args:
        env: The environment that the settings were read from.
        path: Of the file that they were read from; None for none.
        own_model: The user's; another one in the settings is the project's.
    """
    file = path.name if path else "msgbook.toml"
    lines = {"file": str(path) if path else "none; the environment is all there is"}
    provider = settings.provider
    if provider is None:
        lines["server"] = "none is set: the built-in demo model answers"
    else:
        lines |= _server(provider, file)
    lines["model"] = _model(settings, env, file if settings.model == own_model else PROJECT)
    lines["approval"] = _with_origin(settings.approval, "MSGBOOK_APPROVAL", env)
    limits = Limits(**settings.limits)  # type: ignore[arg-type]  # whole where need be
    followed, _ = limits.narrow(settings.project_limits)
    told = {key: value for key, value in asdict(followed).items() if value is not None}
    lines["limits"] = ", ".join(f"{key} {value:,}" for key, value in told.items())
    lowered = [key for key, value in asdict(limits).items() if value != told.get(key)]
    if lowered:
        lines["project"] = f"lowers {', '.join(lowered)} ({PROJECT})"
    return lines


def others_in_force(settings: Settings) -> dict[str, str]:
    """What is there to be named: providers, agents, MCP servers."""
    lines = {}
    if len(settings.providers) > 1:
        lines["providers"] = ", ".join(_listed(p, settings) for p in settings.providers.values())
    if settings.agents:
        lines["agents"] = ", ".join(settings.agents)
    if settings.mcp_servers:
        lines["mcp"] = f"{', '.join(settings.mcp_servers)}; not used yet"
    return lines


def _listed(provider: ProviderSettings, settings: Settings) -> str:
    word = " (the default)" if provider is settings.provider else ""
    return f"{provider.name} (cannot be used)" if provider.problem else provider.name + word


def _server(provider: ProviderSettings, file: str) -> dict[str, str]:
    table = f"[providers.{provider.name}] of {file}"
    where = "OPENAI_BASE_URL" if provider.from_environment else table
    url = shown_url(provider.base_url)
    lines = {"server": f"{url} ({where})" if provider.base_url else url}
    if provider.api_key:
        lines["key"] = f"is set ({provider.key_variable})"
    elif provider.headers:
        lines["key"] = "none but what the headers hold"
    else:
        lines["key"] = f'none; "none" is sent ({provider.key_variable or "api_key_env"} is not set)'
    if provider.headers:
        lines["headers"] = f"{', '.join(provider.headers)} ({where})"
    if provider.prices:
        lines["prices"] = f"of {', '.join(provider.prices)} ({file})"
    wants = [key for key in ("keep_reasoning", "alternate") if getattr(provider, key)]
    if wants:
        lines["wants"] = f"{', '.join(wants)} ({file})"
    return lines


def _model(settings: Settings, env: Mapping[str, str], file: str) -> str:
    if settings.model is None:
        if settings.provider is None:
            return f"{DEMO_MODEL}, the built-in one: no server is set"
        return "none is set; the server's is taken if it offers just one"
    from_env = bool(env.get("MSGBOOK_MODEL", "").strip())
    return f"{settings.model} ({'MSGBOOK_MODEL' if from_env else f'model of {file}'})"


def _with_origin(value: str, variable: str, env: Mapping[str, str]) -> str:
    return f"{value} ({variable if variable in env else 'the default'})"
