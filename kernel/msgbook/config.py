"""The settings: environment and `msgbook.toml`. The only reader of either.

Values are read once, at kernel start. What a setting means for a user: docs/configuration.md.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Mapping, MutableMapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from msgbook.errors import ConfigError

DEMO_MODEL = "demo"

_SECRET_HEADER = re.compile(r"auth|key|token|secret|cookie|password", re.IGNORECASE)

_STRUCTURE = {"role", "type"}
"""Keys of a request whose values are words of the API's."""

TOP_KEYS = {"model", "providers", "limits", "approval"}
PROVIDER_KEYS = {"base_url", "api_key_env", "headers", "prices"}
LIMIT_KEYS = {"max_steps", "token_budget", "time_budget", "warn_tokens"}
PRICE_KEYS = {"input", "cached", "output"}
APPROVAL_KEYS = {"rules"}

WARN_TOKENS = 100_000
"""A request that is estimated to be longer is warned of. Most models take 128,000 or more."""

_TYPES = (
    ("model", str, "a string"),
    ("providers", dict, "a table"),
    ("limits", dict, "a table"),
    ("approval", dict, "a table"),
)

ApprovalPolicy = Literal["ask", "deny", "allow"]


@dataclass(frozen=True, slots=True)
class ProviderSettings:
    """How to reach one server. Holds secrets: `repr` does not show them."""

    name: str
    base_url: str | None = None
    """None for the SDK's default, OpenAI."""
    api_key: str | None = field(default=None, repr=False)
    key_variable: str | None = None
    """Name of the environment variable that the key came from."""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    prices: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """Of a model: currency units per million tokens, by `PRICE_KEYS`."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What the user set, for one kernel."""

    provider: ProviderSettings | None = None
    """None: nothing is set, the built-in demo model answers."""
    model: str | None = None
    """Model for cells that name none; None leaves it to the server when it offers just one."""
    approval: ApprovalPolicy = "deny"
    rules: tuple[Any, ...] = ()
    """Tables of `[approval] rules`, as they stand: `tools.rules` reads them."""
    limits: Mapping[str, float] = field(default_factory=dict)
    """Of one turn: those of `LIMIT_KEYS` that are set, but `warn_tokens`; positive."""
    project_limits: Mapping[str, Any] = field(default_factory=dict)
    """What the project wants of `limits`, of any type; it can only lower them."""
    warn_tokens: int = WARN_TOKENS
    """Tokens that a request may have by estimate without a warning."""
    warnings: tuple[str, ...] = ()
    """One line each, about settings that were not understood; shown in the first turn."""

    @property
    def secrets(self) -> tuple[str, ...]:
        """Strings that must never be shown or handed on."""
        if self.provider is None:
            return ()
        values = [self.provider.api_key or "", _password(self.provider.base_url)]
        values += [v for name, v in self.provider.headers.items() if _SECRET_HEADER.search(name)]
        # "Bearer abc" has to be found as "abc" too.
        words = [word for value in values for word in (value, *value.split())]
        return tuple(sorted({w for w in words if len(w) >= 8}, key=len, reverse=True))


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
    path = config_path(env)
    table = _read_toml(path) if path else {}
    warnings = [*_unknown_keys(table, path), *_wrong_types(table, path)]
    approval = env.get("MSGBOOK_APPROVAL", "ask").strip().lower()
    if approval not in ("ask", "deny", "allow"):
        warnings.append(
            f"MSGBOOK_APPROVAL is {approval!r}; expected ask, deny or allow. Nothing is allowed."
        )
        approval = "deny"
    limits = dict(_limits(table, path, warnings))
    return Settings(
        provider=_provider(env, table, path, warnings),
        model=env.get("MSGBOOK_MODEL", "").strip() or project_model or _string(table.get("model")),
        warn_tokens=int(limits.pop("warn_tokens", WARN_TOKENS)),
        limits=limits,
        approval=approval,  # type: ignore[arg-type]  # checked above
        rules=tuple(_rules(table, path, warnings)),
        warnings=tuple(warnings),
    )


def hide_key(settings: Settings, environ: MutableMapping[str, str] | None = None) -> None:
    """Take the key out of the environment, so that no child process and no `!env` finds it."""
    env = os.environ if environ is None else environ
    env.pop("OPENAI_API_KEY", None)
    if settings.provider is not None and settings.provider.key_variable:
        env.pop(settings.provider.key_variable, None)


def redact(text: str, secrets: Iterable[str]) -> str:
    """`text` without any of the secrets."""
    for secret in secrets:
        text = text.replace(secret, "[redacted]")
    return text


def redact_json(value: Any, secrets: Iterable[str]) -> Any:
    """A part of a request without any of the secrets; what names its structure stays."""
    if isinstance(value, str):
        return redact(value, secrets)
    if isinstance(value, list):
        return [redact_json(entry, secrets) for entry in value]
    if not isinstance(value, dict):
        return value
    return {
        key: entry if key in _STRUCTURE else redact_json(entry, secrets)
        for key, entry in value.items()
    }


def _provider(
    env: Mapping[str, str], table: dict[str, Any], path: Path | None, warnings: list[str]
) -> ProviderSettings | None:
    """The server to talk to: the environment's, else the file's first."""
    key = _key(env.get("OPENAI_API_KEY", ""), "OPENAI_API_KEY")
    base_url = env.get("OPENAI_BASE_URL", "").strip() or None
    if key or base_url:
        check_url(base_url, "OPENAI_BASE_URL")
        prices = dict(_prices(_entry(table, "openai").get("prices"), path, warnings))
        return ProviderSettings("openai", base_url, key, "OPENAI_API_KEY", prices=prices)
    providers = table.get("providers")
    if path is None or not isinstance(providers, dict) or not providers:
        return None
    name, entry = next(iter(providers.items()))
    setting = f"{path.name}: base_url of [providers.{name}]"
    base_url = _string(entry.get("base_url")) if isinstance(entry, dict) else None
    if base_url is None:
        # Without it the SDK would send everything to OpenAI.
        raise ConfigError(f"{setting} is missing. For OpenAI it is https://api.openai.com/v1.")
    check_url(base_url, setting)
    key_env = _string(entry.get("api_key_env"))
    key = _key(env.get(key_env, ""), key_env) if key_env else None
    if key_env and key is None:
        warnings.append(f"{key_env}, the api_key_env of provider {name}, is not set.")
    headers = entry.get("headers", {})
    if not isinstance(headers, dict):
        raise ConfigError(f"{path.name}: headers of [providers.{name}] have to be a table.")
    texts = {str(k): str(v) for k, v in headers.items()}
    prices = dict(_prices(entry.get("prices"), path, warnings))
    return ProviderSettings(name, base_url, key, key_env, texts, prices)


def _entry(table: dict[str, Any], name: str) -> dict[str, Any]:
    """`[providers.NAME]`; empty where there is none."""
    providers = table.get("providers")
    entry = providers.get(name) if isinstance(providers, dict) else None
    return entry if isinstance(entry, dict) else {}


def _prices(
    found: Any, path: Path | None, warnings: list[str]
) -> Iterable[tuple[str, Mapping[str, float]]]:
    """The price tables that can be reckoned with; another one is said and not used."""
    if found is None or path is None:
        return
    for model, prices in found.items() if isinstance(found, dict) else [("prices", {})]:
        if _can_reckon(prices):
            yield model, prices
        else:
            line = f"{path.name}:{_line_of(model, path)}"
            warnings.append(
                f"{line}: prices of {model!r} have to be numbers "
                "{ input = 1.25, cached = 0.125, output = 10.0 }; they are ignored."
            )


def _can_reckon(prices: Any) -> bool:
    if not isinstance(prices, dict) or not PRICE_KEYS >= prices.keys() >= {"input", "output"}:
        return False
    return all(type(p) in (int, float) and 0 <= p < math.inf for p in prices.values())


def _limits(
    table: dict[str, Any], path: Path | None, warnings: list[str]
) -> Iterable[tuple[str, float]]:
    """The limits that are positive numbers; another value is said and leaves the default."""
    found = table.get("limits")
    if path is None or not isinstance(found, dict):
        return
    for key, value in found.items():
        if key not in LIMIT_KEYS:
            continue
        whole = key != "time_budget"
        if type(value) in ((int,) if whole else (int, float)) and 0 < value < math.inf:
            yield key, value
        else:
            kind = "whole number" if whole else "number"
            line = f"{path.name}:{_line_of(key, path)}"
            warnings.append(f"{line}: {key} has to be a positive {kind}; it is ignored.")


def _rules(table: dict[str, Any], path: Path | None, warnings: list[str]) -> list[Any]:
    found = table.get("approval")
    rules = found.get("rules", []) if isinstance(found, dict) else []
    if isinstance(rules, list):
        return rules
    if path is not None:
        line = f"{path.name}:{_line_of('rules', path)}"
        warnings.append(f"{line}: rules has to be a list of tables; it is ignored.")
    return []


def _key(value: str, variable: str) -> str | None:
    """The key; servers' libraries fail in odd ways on one that no header can carry."""
    key = value.strip()
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise ConfigError(f"{variable} holds characters that no key has, or a line break.")
    return key or None


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


def _password(url: str | None) -> str:
    return urlsplit(url).password or "" if url else ""


def config_path(env: Mapping[str, str]) -> Path | None:
    """`MSGBOOK_CONFIG`, else `msgbook.toml` in Jupyter's configuration directory when it exists."""
    named = env.get("MSGBOOK_CONFIG", "").strip()
    if named:
        try:
            return Path(named).expanduser()
        except RuntimeError as error:
            raise ConfigError(f"MSGBOOK_CONFIG: {error}") from error
    from jupyter_core.paths import jupyter_config_dir

    path = Path(jupyter_config_dir()) / "msgbook.toml"
    return path if path.is_file() else None


def _read_toml(path: Path) -> dict[str, Any]:
    import tomllib  # most kernels start without a file

    try:
        return tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise ConfigError(
            f"{path.name} (msgbook.toml, or what MSGBOOK_CONFIG names) cannot be read: "
            f"{error.strerror}."
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path.name} is no valid TOML: {error}") from error


def _unknown_keys(table: dict[str, Any], path: Path | None) -> Iterable[str]:
    if path is None:
        return
    known = [(key, key in TOP_KEYS) for key in table]
    providers = table.get("providers")
    for entry in providers.values() if isinstance(providers, dict) else ():
        known += [(key, key in PROVIDER_KEYS) for key in entry] if isinstance(entry, dict) else []
    for name, keys in (("limits", LIMIT_KEYS), ("approval", APPROVAL_KEYS)):
        entries = table.get(name)
        known += [(key, key in keys) for key in entries] if isinstance(entries, dict) else []
    for key, is_known in known:
        if not is_known:
            yield f"{path.name}:{_line_of(key, path)}: unknown key {key!r}; it is ignored."


def _wrong_types(table: dict[str, Any], path: Path | None) -> Iterable[str]:
    if path is None:
        return
    for key, kind, word in _TYPES:
        if key in table and not isinstance(table[key], kind):
            yield f"{path.name}:{_line_of(key, path)}: {key} has to be {word}; it is ignored."


def _line_of(key: str, path: Path) -> int:
    """Line on which a key is first set, from 1; TOML readers do not tell it."""
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        name = line.strip().lstrip("[").partition("=")[0].strip(' "]')
        if name == key or name.startswith(key + "."):
            return number
    return 1


def _string(value: Any) -> str | None:
    return value.strip() or None if isinstance(value, str) else None
