"""The settings as they are in force: the environment first, then the file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from urllib.parse import urlsplit

from msgbook.config.file import SettingsFile, config_path, read_file, string
from msgbook.config.settings import ProviderSettings, Settings
from msgbook.errors import ConfigError


def load_settings(
    environ: Mapping[str, str] | None = None, *, project_model: str | None = None
) -> Settings:
    """Read the settings.

    Args:
        environ: The environment; the process's own by default.
        project_model: The model of a project that the user trusts; wins over the file.

    Raises:
        ConfigError: A file that is named or found cannot be read or is no TOML; or a key, a URL or
            a table of headers cannot be used.
    """
    env = os.environ if environ is None else environ
    file = read_file(config_path(env))
    approval = env.get("MSGBOOK_APPROVAL", "ask").strip().lower()
    if approval not in ("ask", "deny", "allow"):
        file.warnings.append(
            f"MSGBOOK_APPROVAL is {approval!r}; expected ask, deny or allow. Nothing is allowed."
        )
        approval = "deny"
    return Settings(
        limits=file.limits(),
        provider=_provider(env, file),
        model=env.get("MSGBOOK_MODEL", "").strip() or project_model or file.model,
        approval=approval,  # type: ignore[arg-type]  # checked above
        rules=tuple(file.rules()),
        warnings=tuple(file.warnings),
    )


def check_url(url: str | None, setting: str) -> None:
    """Raise `ConfigError`, which names the setting, unless the URL is one of a server."""
    if url is None:
        return
    try:
        parts = urlsplit(url)
        fine = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        fine = False
    if not fine:
        raise ConfigError(f"{setting} is no URL: expected one like http://localhost:11434/v1.")


def _provider(env: Mapping[str, str], file: SettingsFile) -> ProviderSettings | None:
    """The server to talk to: the environment's, else the file's first."""
    key = _key(env.get("OPENAI_API_KEY", ""), "OPENAI_API_KEY")
    base_url = env.get("OPENAI_BASE_URL", "").strip() or None
    if key or base_url:
        check_url(base_url, "OPENAI_BASE_URL")
        prices = file.prices(file.provider("openai"))
        return ProviderSettings("openai", base_url, key, "OPENAI_API_KEY", prices=prices)
    first = file.first_provider()
    return _provider_of_file(env, file, *first) if first is not None else None


def _provider_of_file(
    env: Mapping[str, str], file: SettingsFile, name: str, entry: object
) -> ProviderSettings:
    setting = f"{file.name}: base_url of [providers.{name}]"
    base_url = string(entry.get("base_url")) if isinstance(entry, dict) else None
    if base_url is None or not isinstance(entry, dict):
        # Without it the SDK would send everything to OpenAI.
        raise ConfigError(f"{setting} is missing. For OpenAI it is https://api.openai.com/v1.")
    check_url(base_url, setting)
    key_env = string(entry.get("api_key_env"))
    key = _key(env.get(key_env, ""), key_env) if key_env else None
    if key_env and key is None:
        file.warnings.append(f"{key_env}, the api_key_env of provider {name}, is not set.")
    headers = entry.get("headers", {})
    if not isinstance(headers, dict):
        raise ConfigError(f"{file.name}: headers of [providers.{name}] have to be a table.")
    texts = {str(k): str(v) for k, v in headers.items()}
    return ProviderSettings(name, base_url, key, key_env, texts, file.prices(entry))


def _key(value: str, variable: str) -> str | None:
    """The key; servers' libraries fail in odd ways on one that no header can carry."""
    key = value.strip()
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise ConfigError(f"{variable} holds characters that no key has, or a line break.")
    return key or None
