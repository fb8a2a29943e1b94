"""The environment before the settings are read: where the file is, and which variables hold keys."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, MutableMapping
from pathlib import Path

from msgbook.errors import ConfigError

ANTHROPIC_KEY = "ANTHROPIC_API_KEY"

OTHER_KEYS = (
    "OPENAI_ADMIN_KEY",
    "OPENAI_WEBHOOK_SECRET",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_WEBHOOK_SIGNING_KEY",
)
"""Variables with keys that the SDKs read and msgbook does not use."""

_KEYS = (
    "OPENAI_API_KEY",
    "OPENAI_CUSTOM_HEADERS",
    ANTHROPIC_KEY,
    "ANTHROPIC_CUSTOM_HEADERS",
    *OTHER_KEYS,
)
"""Variables that hold keys, whatever the settings say."""

_NAMED = re.compile(r"""api_key_env["']?\s*=\s*["']([^"'\s]+)""")
"""A name in a file that is not valid TOML."""


def config_path(env: Mapping[str, str]) -> Path | None:
    """Return `MSGBOOK_CONFIG`, else `msgbook.toml` in Jupyter's configuration directory if it exists."""
    named = env.get("MSGBOOK_CONFIG", "").strip()
    if named:
        try:
            return Path(named).expanduser()
        except RuntimeError as error:
            raise ConfigError(f"MSGBOOK_CONFIG: {error}") from error
    from jupyter_core.paths import jupyter_config_dir

    path = Path(jupyter_config_dir()) / "msgbook.toml"
    try:
        return path if path.is_file() else None
    except OSError:
        return path  # reading it will say what is wrong


def key_variables(env: Mapping[str, str]) -> set[str]:
    """Return the names of variables that hold keys: those of the SDKs, and those that the file names.

    A file that is not valid TOML names its variables, too.
    """
    return {*_KEYS, *_named_in_file(env)}


def set_keys_aside(env: MutableMapping[str, str]) -> dict[str, str]:
    """Remove the variables that hold keys from an environment, and return them."""
    return {name: env.pop(name) for name in key_variables(env) if name in env}


def _named_in_file(env: Mapping[str, str]) -> Iterator[str]:
    try:
        path = config_path(env)
        if path is not None and path != Path(os.devnull):
            from msgbook_format.files import read_regular

            yield from _named_in_text(read_regular(path).decode("utf-8", "replace"))
    except (ConfigError, OSError):
        return  # whoever reads the settings says what is wrong with the file


def _named_in_text(text: str) -> Iterator[str]:
    import tomllib  # most kernels start without a file

    from msgbook_format.typed import as_dict, as_text

    try:
        providers = as_dict(tomllib.loads(text).get("providers"))
    except (ValueError, RecursionError):
        yield from _NAMED.findall(text)
        return
    for provider in providers.values():
        yield as_text(as_dict(provider).get("api_key_env")).strip()
