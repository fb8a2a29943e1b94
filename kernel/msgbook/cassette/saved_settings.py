"""The settings that requests and turns depend on, as a cassette keeps them: without keys and headers."""

from __future__ import annotations

from typing import Any

from msgbook.config import McpServerSettings, ProviderSettings, Settings
from msgbook.messages import ApiName
from msgbook.provider import shown_url

_PROVIDER = (
    "name",
    "plugin",
    "prices",
    "keep_reasoning",
    "documents",
    "alternate",
    "from_environment",
    "problem",
)
_SETTINGS = (
    "model",
    "model_origin",
    "agents",
    "approval",
    "limits",
    "project_limits",
    "plugins_off",
    "warnings",
    "untrusted_project",
)
_MCP = ("name", "enabled_tools", "disabled_tools", "trust_hints", "problem")
_KEY = "none"
"""Stands for the key of a server that has one."""


def save_settings(settings: Settings) -> dict[str, Any]:
    """Return the settings as JSON."""
    return {
        **{name: _plain(getattr(settings, name)) for name in _SETTINGS},
        "mcp_servers": [_save_mcp(found) for found in settings.mcp_servers.values()],
        "providers": [_save_provider(found) for found in settings.providers.values()],
    }


def load_settings(saved: dict[str, Any]) -> Settings:
    """Return settings that were saved. They grant nothing: nothing runs during a replay.

    Raises:
        TypeError: They are not such settings.
        ValueError: As `TypeError`.
    """
    known = {name: saved[name] for name in _SETTINGS if name in saved}
    for name in ("warnings", "plugins_off"):
        known[name] = tuple(map(str, known.get(name, ())))
    for name in ("agents", "limits", "project_limits"):
        known[name] = dict(known.get(name, {}))
    if known.get("approval") not in ("ask", "deny", "allow"):
        known["approval"] = "deny"
    providers = [_load_provider(found) for found in saved.get("providers", [])]
    servers = [_load_mcp(found) for found in saved.get("mcp_servers", [])]
    return Settings(
        **known,
        mcp_servers={found.name: found for found in servers},
        providers={found.name: found for found in providers},
    )


def _save_provider(settings: ProviderSettings) -> dict[str, Any]:
    saved = {name: _plain(getattr(settings, name)) for name in _PROVIDER}
    url = settings.base_url and shown_url(settings.base_url)
    return {**saved, "api": settings.api, "base_url": url, "has_key": bool(settings.api_key)}


def _load_provider(saved: dict[str, Any]) -> ProviderSettings:
    known = {name: saved[name] for name in _PROVIDER}
    key = _KEY if saved.get("has_key") else None
    # A cassette without the key is older than it.
    api: ApiName = "responses" if saved.get("api") == "responses" else "chat"
    return ProviderSettings(**known, api=api, base_url=saved.get("base_url"), api_key=key)


def _save_mcp(settings: McpServerSettings) -> dict[str, Any]:
    """Return what decides about the tools that are offered: neither the command nor its variables."""
    return {name: _plain(getattr(settings, name)) for name in _MCP}


def _load_mcp(saved: dict[str, Any]) -> McpServerSettings:
    known = {name: saved[name] for name in _MCP}
    if known["enabled_tools"] is not None:
        known["enabled_tools"] = tuple(map(str, known["enabled_tools"]))
    known["disabled_tools"] = tuple(map(str, known["disabled_tools"]))
    return McpServerSettings(**known)


def _plain(value: Any) -> Any:
    """Return a value of the settings as JSON."""
    if isinstance(value, tuple):
        return [_plain(entry) for entry in value]
    if hasattr(value, "items"):
        return {str(key): _plain(entry) for key, entry in value.items()}
    return value
