"""The file `msgbook.toml`: its path, its values, and warnings about parts that cannot be used."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

from msgbook.config import lines
from msgbook.config.settings import LIMIT_KEYS, WHOLE_LIMITS, expected_number, is_in_range
from msgbook.errors import ConfigError
from msgbook.messages import ApiName

TOP_KEYS = {"model", "providers", "agents", "mcp_servers", "limits", "approval", "plugins"}
PROVIDER_KEYS = {
    "base_url",
    "api_key_env",
    "api_key_keyring",
    "api_key_file",
    "api_key_session",
    "headers",
    "prices",
    "keep_reasoning",
    "alternate",
    "documents",
    "api",
    "plugin",
    "options",
    "requests_per_minute",
    "max_parallel",
}
PRICE_KEYS = {"input", "cached", "output"}
APPROVAL_KEYS = {"rules"}
PLUGIN_KEYS = {"off"}

_TYPES = (
    ("model", str, "a string"),
    ("providers", dict, "a table"),
    ("agents", dict, "a table"),
    ("mcp_servers", dict, "a table"),
    ("limits", dict, "a table"),
    ("approval", dict, "a table"),
    ("plugins", dict, "a table"),
)


class SettingsFile:
    """Values of the file, without those that cannot be used.

    Args:
        table: The parsed file.
        text: The file's text, to find the lines that warnings name.

    Attributes:
        warnings: A line for each value so far that cannot be used.
    """

    def __init__(self, name: str, table: dict[str, Any], text: str) -> None:
        self.name = name
        self._table = table
        self._lines = text.splitlines()
        self.warnings = [*self._unknown_keys(), *self._wrong_types()]

    @property
    def model(self) -> str | None:
        """The model for cells that name none."""
        return strip_text(self._table.get("model"))

    def provider_names(self) -> list[str]:
        """Return the names of all `[providers.NAME]`, in their order."""
        return list(self._tables("providers"))

    def provider(self, name: str) -> dict[str, Any]:
        """Return `[providers.NAME]`; empty if there is none."""
        entry = self._tables("providers").get(name)
        return entry if isinstance(entry, dict) else {}

    def agents(self) -> dict[str, Any]:
        """Return `[agents]` unchecked: an entry may be of any type."""
        return self._tables("agents")

    def mcp_tables(self) -> dict[str, Any]:
        """Return `[mcp_servers]` unchecked: an entry may be of any type."""
        return self._tables("mcp_servers")

    def limits(self) -> dict[str, float]:
        """Return the limits that are positive numbers. Any other value gives a warning and the default."""
        followed = {}
        for key, value in self._tables("limits").items():
            if key not in LIMIT_KEYS:
                continue
            is_integer = key in WHOLE_LIMITS
            is_number = type(value) in ((int,) if is_integer else (int, float))
            if is_number and is_in_range(key, value):
                followed[key] = value
            else:
                expected = expected_number(key)
                kind = expected.replace("number", "whole number") if is_integer else expected
                self.warn(("limits", key), f"{key} is ignored: expected {kind}.")
        return followed

    def rules(self) -> list[Any]:
        """Return the tables of `[approval] rules`, unchecked."""
        rules = self._tables("approval").get("rules", [])
        if isinstance(rules, list):
            return rules
        self.warn(("approval", "rules"), "rules is ignored: expected a list of tables.")
        return []

    def plugins_off(self) -> list[str]:
        """Return `[plugins] off`."""
        off = self._tables("plugins").get("off", [])
        if isinstance(off, list) and all(isinstance(name, str) for name in off):
            return off
        self.warn(("plugins", "off"), 'off is ignored: expected a list such as ["a-package"].')
        return []

    def prices(self, provider: str) -> dict[str, Mapping[str, float]]:
        """Return the valid price tables of a provider. Any other one gives a warning."""
        found = self.provider(provider).get("prices", {})
        usable = {}
        for model, prices in found.items() if isinstance(found, dict) else [("prices", {})]:
            if _are_prices(prices):
                usable[model] = prices
            else:
                self.warn(
                    ("providers", provider, "prices", model),
                    f"prices of {model!r} are ignored: expected numbers, such as "
                    "{ input = 1.25, cached = 0.125, output = 10.0 }.",
                )
        return usable

    def is_on(self, provider: str, key: str) -> bool:
        """Return whether a provider's key is true. A value that is not a boolean gives a warning."""
        value = self.provider(provider).get(key, False)
        if isinstance(value, bool):
            return value
        self.warn(("providers", provider, key), f"{key} is ignored: expected true or false.")
        return False

    def count(self, provider: str, key: str) -> int | None:
        """Return a provider's whole number from 1 on. Any other value gives a warning and None."""
        value = self.provider(provider).get(key)
        if value is None or (type(value) is int and value > 0):
            return value
        self.warn(
            ("providers", provider, key), f"{key} is ignored: expected a whole number from 1 on."
        )
        return None

    def api(self, provider: str) -> ApiName | None:
        """Return the API that is set for a provider; None if none is. Any other value gives a warning."""
        entry = self.provider(provider)
        for name in get_args(ApiName):
            if entry.get("api") == name:
                return name  # type: ignore[no-any-return]  # one of the names of the type
        if "api" in entry:
            self.warn(
                ("providers", provider, "api"), 'api is ignored: expected "chat" or "responses".'
            )
        return None

    def warn(self, path: lines.Path, words: str) -> None:
        """Add a warning that names the line of a key."""
        self.warnings.append(self._at(path, words))

    def _tables(self, key: str) -> dict[str, Any]:
        found = self._table.get(key)
        return found if isinstance(found, dict) else {}

    def _unknown_keys(self) -> Iterator[str]:
        known: list[tuple[lines.Path, bool]] = [((key,), key in TOP_KEYS) for key in self._table]
        for name in self._tables("providers"):
            table = ("providers", name)
            known += [((*table, key), key in PROVIDER_KEYS) for key in self.provider(name)]
        for name, keys in (
            ("limits", LIMIT_KEYS),
            ("approval", APPROVAL_KEYS),
            ("plugins", PLUGIN_KEYS),
        ):
            known += [((name, key), key in keys) for key in self._tables(name)]
        for path, is_known in known:
            if not is_known:
                yield self._at(path, f"unknown key {path[-1]!r} is ignored.")

    def _wrong_types(self) -> Iterator[str]:
        for key, kind, word in _TYPES:
            if key in self._table and not isinstance(self._table[key], kind):
                yield self._at((key,), f"{key} is ignored: expected {word}.")

    def _at(self, path: lines.Path, words: str) -> str:
        return f"{self.name}:{lines.find_line(self._lines, path)}: {words}"


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


def read_file(path: Path | None) -> SettingsFile:
    """Read the file; without a path, return an empty one.

    Raises:
        ConfigError: It cannot be read, or is not valid TOML.
    """
    if path is None:
        return SettingsFile("msgbook.toml", {}, "")
    if path == Path(os.devnull):
        return SettingsFile(path.name, {}, "")  # how a shell says that there is no file
    import tomllib  # most kernels start without a file

    from msgbook_format.files import read_regular

    try:
        text = read_regular(path).decode("utf-8")
        return SettingsFile(path.name, tomllib.loads(text), text)
    except OSError as error:
        raise ConfigError(
            f"{path} (msgbook.toml, or what MSGBOOK_CONFIG names) cannot be read: {error.strerror}."
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path.name} is not valid TOML: {error}") from error
    except RecursionError as error:
        raise ConfigError(f"{path.name} is not valid TOML: it is nested too deeply.") from error


def strip_text(value: Any) -> str | None:
    """Return a text without surrounding blanks; None for an empty text or another value."""
    return value.strip() or None if isinstance(value, str) else None


def _are_prices(prices: Any) -> bool:
    if not isinstance(prices, dict) or not PRICE_KEYS >= prices.keys() >= {"input", "output"}:
        return False
    return all(type(p) in (int, float) and 0 <= p < math.inf for p in prices.values())
