"""The file `msgbook.toml`: its path, its values, and warnings about parts that cannot be used."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, get_args

from msgbook.config import lines
from msgbook.config.prices import PRICE_KEYS
from msgbook.config.settings import LARGEST, LIMIT_KEYS, WHOLE_LIMITS, expected_number, is_in_range
from msgbook.errors import ConfigError
from msgbook.messages import ApiName
from msgbook_format.typed import as_dict, as_text, is_texts


class Key(NamedTuple):
    """What a key of the file may be, in words and as a check."""

    expected: str
    fits: Callable[[Any], bool]


def _limit(name: str) -> Key:
    expected = expected_number(name)
    if name not in WHOLE_LIMITS:
        return Key(expected, lambda value: type(value) in (int, float) and is_in_range(name, value))
    whole = expected.replace("number", "whole number")
    return Key(whole, lambda value: type(value) is int and is_in_range(name, value))


_TEXT = Key("a string", lambda value: isinstance(value, str))
_TABLE = Key("a table", lambda value: isinstance(value, dict))
_SWITCH = Key("true or false", lambda value: isinstance(value, bool))
_COUNT = Key("a whole number from 1 on", lambda value: type(value) is int and value > 0)
_ANY = Key("anything, since `providers` checks it", lambda _value: True)

TOP_KEYS = {
    "model": _TEXT,
    **dict.fromkeys(
        ("providers", "agents", "mcp_servers", "limits", "approval", "plugins"), _TABLE
    ),
}
PROVIDER_KEYS = {
    **dict.fromkeys(("base_url", "api_key_env", "api_key_keyring", "api_key_file"), _ANY),
    **dict.fromkeys(("api_key_session", "headers", "prices", "plugin", "options"), _ANY),
    **dict.fromkeys(("keep_reasoning", "alternate", "documents"), _SWITCH),
    **dict.fromkeys(("requests_per_minute", "max_parallel", "context_window"), _COUNT),
    "api": Key('"chat", "responses" or "anthropic"', lambda value: value in get_args(ApiName)),
}
TABLE_KEYS = {
    "limits": {name: _limit(name) for name in LIMIT_KEYS},
    "approval": {"rules": Key("a list of tables", lambda value: isinstance(value, list))},
    "plugins": {
        "off": Key(
            'a list such as ["a-package"]',
            is_texts,
        )
    },
}
"""The keys of tables with a fixed name."""


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
        return as_dict(entry)

    def agents(self) -> dict[str, Any]:
        """Return `[agents]` unchecked: an entry may be of any type."""
        return self._tables("agents")

    def mcp_tables(self) -> dict[str, Any]:
        """Return `[mcp_servers]` unchecked: an entry may be of any type."""
        return self._tables("mcp_servers")

    def limits(self) -> dict[str, float]:
        """Return the limits that can be used."""
        return self._values(("limits",), TABLE_KEYS["limits"])

    def rules(self) -> list[Any]:
        """Return the tables of `[approval] rules`, unchecked."""
        rules: list[Any] = self._values(("approval",), TABLE_KEYS["approval"]).get("rules", [])
        return rules

    def plugins_off(self) -> list[str]:
        """Return `[plugins] off`."""
        off: list[str] = self._values(("plugins",), TABLE_KEYS["plugins"]).get("off", [])
        return off

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

    def options(self, provider: str, *keys: str) -> dict[str, Any]:
        """Return some keys of a provider, those that are set and can be used."""
        return self._values(("providers", provider), {key: PROVIDER_KEYS[key] for key in keys})

    def warn(self, path: lines.Path, words: str) -> None:
        """Add a warning that names the line of a key."""
        self.warnings.append(self._at(path, words))

    def _tables(self, key: str) -> dict[str, Any]:
        found = self._table.get(key)
        return as_dict(found)

    def _values(self, path: lines.Path, keys: Mapping[str, Key]) -> dict[str, Any]:
        """Return the values of a table that fit. Any other one gives a warning."""
        table = self.provider(path[1]) if len(path) > 1 else self._tables(path[0])
        found = {}
        for key in (key for key in table if key in keys):
            if keys[key].fits(table[key]):
                found[key] = table[key]
            else:
                self.warn((*path, key), f"{key} is ignored: expected {keys[key].expected}.")
        return found

    def _unknown_keys(self) -> Iterator[str]:
        known: list[tuple[lines.Path, bool]] = [((key,), key in TOP_KEYS) for key in self._table]
        for name in self._tables("providers"):
            table = ("providers", name)
            known += [((*table, key), key in PROVIDER_KEYS) for key in self.provider(name)]
        for name, keys in TABLE_KEYS.items():
            known += [((name, key), key in keys) for key in self._tables(name)]
        for path, is_known in known:
            if not is_known:
                yield self._at(path, f"unknown key {path[-1]!r} is ignored.")

    def _wrong_types(self) -> Iterator[str]:
        for key, (expected, fits) in TOP_KEYS.items():
            if key in self._table and not fits(self._table[key]):
                yield self._at((key,), f"{key} is ignored: expected {expected}.")

    def _at(self, path: lines.Path, words: str) -> str:
        return f"{self.name}:{lines.find_line(self._lines, path)}: {words}"


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
    except (
        ValueError
    ) as error:  # also for bytes that are not text, and for a number of 5,000 digits
        raise ConfigError(f"{path.name} is not valid TOML: {error}") from error
    except RecursionError as error:
        raise ConfigError(f"{path.name} is not valid TOML: it is nested too deeply.") from error


def strip_text(value: Any) -> str | None:
    """Return a text without surrounding blanks; None for an empty text or another value."""
    return as_text(value).strip() or None


def _are_prices(prices: Any) -> bool:
    if not isinstance(prices, dict) or not PRICE_KEYS >= prices.keys() >= {"input", "output"}:
        return False
    return all(type(p) in (int, float) and 0 <= p <= LARGEST for p in prices.values())
