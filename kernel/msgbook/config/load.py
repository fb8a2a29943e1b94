"""The settings in force, MCP servers included: environment variables override the file."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from msgbook.config.environment import OTHER_KEYS, config_path
from msgbook.config.file import SettingsFile, read_file
from msgbook.config.mcp_server import McpServerSettings
from msgbook.config.providers import (
    OPENAI_URL,
    check_url,
    fits_a_header,
    read_providers,
)
from msgbook.config.searching_models import searches_by_itself
from msgbook.config.settings import AdvisedWarning, ProviderSettings, Settings
from msgbook.errors import ConfigError
from msgbook.text import one_line, visible
from msgbook_format.typed import as_text, is_table_of_texts, is_texts


def load_settings(
    environ: Mapping[str, str] | None = None, *, project_model: str | None = None
) -> Settings:
    """Read the settings.

    Args:
        environ: The environment; by default the process's own.
        project_model: The model of a trusted project; it goes before the file's.

    Raises:
        ConfigError: The file cannot be read or is not valid TOML, or the default provider's key, URL
            or headers cannot be used.
    """
    env = os.environ if environ is None else environ
    file = read_file(config_path(env))
    approval = env.get("MSGBOOK_APPROVAL", "ask").strip().lower()
    if approval not in ("ask", "deny", "allow"):
        file.warnings.append(
            f"MSGBOOK_APPROVAL is {approval!r}: expected ask, deny or allow. It counts as deny."
        )
        approval = "deny"
    found = read_providers(env, file)
    mcp_servers = read_mcp_servers(env, file)
    if project_model and searches_by_itself(project_model):
        file.warnings.append(
            f"The model {visible(one_line(project_model, 60))} of the project searches the web by itself. Only your "
            "own configuration can name such a model, so it is ignored."
        )
        project_model = None
    models = (
        (_environment_model(env), "MSGBOOK_MODEL"),
        (project_model, "model of .msgbook/config.toml"),
        (file.model, f"model of {file.name}"),
    )
    model, origin = next(((name, origin) for name, origin in models if name), (None, ""))
    of_file = file.model if origin == models[-1][1] else None
    overridden = describe_overridden(env, file, found.providers, of_file)
    if overridden and of_file:
        file.warnings.append(str(overridden))
    return Settings(
        providers=found.providers,
        model=model,
        model_origin=origin,
        agents=file.agents(),
        mcp_servers=mcp_servers,
        plugins_off=tuple(file.plugins_off()),
        approval=approval,  # type: ignore[arg-type]  # checked above
        rules=tuple(file.rules()),
        limits=file.limits(),
        warnings=tuple(file.warnings),
        file=file.name,
        overridden=overridden,
        other_keys=tuple(env[name].strip() for name in OTHER_KEYS if env.get(name)),
        set_aside=tuple(found.set_aside),
    )


def _environment_model(env: Mapping[str, str]) -> str:
    """Return the model that the environment names; empty if it names none."""
    name = env.get("MSGBOOK_MODEL", "").strip()
    if not name.isprintable():
        raise ConfigError(
            f"MSGBOOK_MODEL ({visible(one_line(name, 60))!r}) contains a line break or another character that no "
            "name of a model has. Correct or unset it."
        )
    return name


# The tables `[mcp_servers.NAME]` of `msgbook.toml`. An invalid value disables the server and is reported.


_PROCESS_KEYS = ("args", "env", "env_vars", "cwd")
_URL_KEYS = ("headers",)


def read_mcp_servers(env: Mapping[str, str], file: SettingsFile) -> dict[str, McpServerSettings]:
    """Return the MCP servers of the file by name, in its order.

    A table that cannot be used gives a warning with file and line, and a server with a `problem`.

    Args:
        env: Where the values of `env_vars` are.
    """
    return {name: _read(env, file, name, table) for name, table in file.mcp_tables().items()}


def _read(env: Mapping[str, str], file: SettingsFile, name: str, table: Any) -> McpServerSettings:
    where = ("mcp_servers", name)
    if not isinstance(table, dict):
        return _unusable(file, where, name, f"expected a table, got {_kind(table)}")
    for key in table:
        if key not in KEYS:
            file.warn((*where, key), f"unknown key {key!r} is ignored.")
    for key, (expected, fits) in KEYS.items():
        if key in table and not fits(table[key]):
            words = f"{key}: expected {expected}, got {_kind(table[key])}"
            return _unusable(file, (*where, key), name, words)
    problem = _which_problem(table)
    if problem:
        return _unusable(file, where, name, problem)
    missing = [key for key in table.get("env_vars", ()) if key not in env]
    if missing:
        file.warn(
            (*where, "env_vars"),
            f"{', '.join(missing)}, which env_vars of [mcp_servers.{name}] names, is not set.",
        )
    cwd = table.get("cwd")
    return McpServerSettings(
        name,
        command=table.get("command", ""),
        args=tuple(table.get("args", ())),
        env={
            **{key: env[key] for key in table.get("env_vars", ()) if key in env},
            **table.get("env", {}),
        },
        cwd=str(Path(cwd).expanduser()) if cwd is not None else None,
        url=table.get("url"),
        headers=table.get("headers", {}),
        enabled_tools=tuple(table["enabled_tools"]) if "enabled_tools" in table else None,
        disabled_tools=tuple(table.get("disabled_tools", ())),
        startup_timeout=float(table.get("startup_timeout_sec", 10.0)),
        tool_timeout=float(table.get("tool_timeout_sec", 60.0)),
        trust_hints=table.get("trust_hints", False),
    )


def _unusable(
    file: SettingsFile, where: tuple[str, ...], name: str, words: str
) -> McpServerSettings:
    file.warn(where, f"the MCP server {name} is not used: {words}.")
    return replace(McpServerSettings(name), problem=words)


def _which_problem(table: Mapping[str, Any]) -> str:
    """Return why a table names no server, or two; empty if it names one."""
    has_command, has_url = "command" in table, "url" in table
    if has_command == has_url:
        found = "both" if has_command else "neither"
        return f"expected command, for a program to start, or url, for a server; got {found}"
    others = _PROCESS_KEYS if has_url else _URL_KEYS
    wrong = [key for key in others if key in table]
    kind = "url" if has_url else "command"
    return f"{wrong[0]} does not go with {kind}" if wrong else ""


def _is_text(value: Any) -> bool:
    return bool(as_text(value).strip()) and "\0" not in value


def _are_texts(value: Any) -> bool:
    return is_texts(value) and not any("\0" in entry for entry in value)


def _is_environment(value: Any) -> bool:
    return is_table_of_texts(value) and all(
        key and not {"=", "\0"} & set(key) and "\0" not in text for key, text in value.items()
    )


def _are_headers(value: Any) -> bool:
    return is_table_of_texts(value) and all(
        fits_a_header(key) and fits_a_header(text) for key, text in value.items()
    )


def _is_folder(value: Any) -> bool:
    try:
        return _is_text(value) and Path(value).expanduser().is_absolute()
    except RuntimeError:  # unknown user in ~name
        return False


def _is_url(value: Any) -> bool:
    try:
        check_url(as_text(value), "url")
    except ConfigError:
        return False
    return True


def _is_duration(value: Any) -> bool:
    return type(value) in (int, float) and 0 < value < math.inf


KEYS: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    "command": ("the name or the path of a program", _is_text),
    "args": ("a list of strings", _are_texts),
    "env": ("a table of strings", _is_environment),
    "env_vars": ("a list of names of variables", _are_texts),
    "cwd": ("an absolute path, or one that begins with ~", _is_folder),
    "url": ("a URL such as https://example.com/mcp", _is_url),
    "headers": ("a table of strings that a header can carry", _are_headers),
    "enabled_tools": ("a list of names of tools", _are_texts),
    "disabled_tools": ("a list of names of tools", _are_texts),
    "startup_timeout_sec": ("a positive number of seconds", _is_duration),
    "tool_timeout_sec": ("a positive number of seconds", _is_duration),
    "trust_hints": ("true or false", lambda value: isinstance(value, bool)),
}
"""What each key expects, in words and as a check."""


_KINDS = (
    (bool, "true or false"),
    (str, "a string"),
    ((int, float), "a number"),
    (list, "a list"),
    (dict, "a table"),
)


def _kind(value: Any) -> str:
    # The value itself may be a secret.
    return next((word for kind, word in _KINDS if isinstance(value, kind)), "a date")


# The environment goes before the file: where that replaces the default provider of the file.


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
