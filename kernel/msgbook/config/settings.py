"""The user's settings, which parts are secret, and the limits of a turn."""

from __future__ import annotations

import math
import re
import sys
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

from msgbook.config.mcp_server import McpServerSettings
from msgbook.messages import ApiName
from msgbook.text import one_line

DEMO_MODEL = "demo"

_SECRET_HEADER = re.compile(r"auth|key|token|secret|cookie|password", re.IGNORECASE)

_SECRET_OPTION = re.compile(r"(?:^|[_-])(?:auth|key|token|secret|cookie|password)$", re.IGNORECASE)
"""The last word of an option's name: `api_key` and `token`, but not `max_tokens` or `tokenizer`."""

_SCHEME = re.compile(r"[A-Za-z][\w-]*\s+(?=\S)")
_TOKEN = 16
"""Characters from which on a user name in a URL counts as a token."""
_PARTS = re.compile(r"[^\s;,=]{8,}")

# fmt: off
_NO_SECRETS = frozenset({
    "none", "null", "no-key", "nokey", "no_key", "not-needed", "not_needed", "notneeded", "not-required",
    "unused", "empty", "dummy", "fake", "test", "local", "key", "api-key", "api_key", "apikey", "your-api-key",
    "placeholder", "anything", "ollama", "lm-studio", "lmstudio", "vllm", "llama.cpp", "llamacpp", "localai",
    "token", "sk-no-key-required", "bearer", "negotiate",
})
# fmt: on
"""Values given as a key where none is needed, and names of schemes that precede a key."""

ApprovalPolicy = Literal["ask", "deny", "allow"]


class AdvisedWarning(NamedTuple):
    """A problem with settings, and what the user can do about it."""

    words: str
    advice: str

    def __str__(self) -> str:
        return f"{self.words} {self.advice}"


class SavedKey(NamedTuple):
    """Where the key of a provider is saved, beside environment variables.

    Attributes:
        place: Name of a row of `key_places`.
        entry: Name there; empty where there are no entries.
        words: Describes it.
    """

    place: str
    entry: str
    words: str


@dataclass(frozen=True, slots=True)
class ProviderSettings:
    """Access to one server. It holds secrets, which `repr` does not show."""

    name: str
    base_url: str | None = field(default=None, repr=False)
    """None for the SDK's default, OpenAI."""
    api_key: str | None = field(default=None, repr=False)
    key_variable: str | None = None
    """Name of the environment variable that the key came from."""
    saved_key: SavedKey | None = None
    """Where the key comes from if the variable is not set."""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    prices: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """Prices of each model: currency units per million tokens, or of one search or request, by `PRICE_KEYS`."""
    context_window: int | None = None
    """Tokens of request and answer together that its models accept; None for what is known of each."""
    keep_reasoning: bool = False
    """True if the server wants the reasoning of earlier turns back."""
    alternate: bool = False
    """True if user and assistant messages have to alternate."""
    documents: bool = False
    """True if the server takes PDFs as documents."""
    requests_per_minute: int | None = None
    """Most requests that begin in a minute; None for any number."""
    max_parallel: int | None = None
    """Most requests that are answered at once; None for any number."""
    api: ApiName = "chat"
    """The API over which it is asked."""
    is_api_set: bool = False
    """True if the configuration file sets it, False for the default of the URL."""
    from_environment: bool = False
    """True if the environment sets it, False if `[providers.NAME]` does."""
    is_unsaved: bool = False
    """True for a form's fields, which are in no file yet."""
    plugin: str = ""
    """Name of the entry point that answers; empty for a server that is compatible with OpenAI's."""
    options: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """Further settings for the plug-in, unchecked."""
    file: str = "msgbook.toml"
    """Name of the configuration file, for messages."""
    problem: str = ""
    """Why it cannot be used; empty if it can."""

    @property
    def url_variable(self) -> str:
        """Name of the environment variable with the URL, for a provider that the environment sets."""
        return f"{self.name.upper()}_BASE_URL"

    @property
    def named_key_variable(self) -> str | None:
        """Name of the variable that the key comes from, or would."""
        return f"{self.name.upper()}_API_KEY" if self.from_environment else self.key_variable


@dataclass(frozen=True, slots=True)
class Settings:
    """The user's settings for one session."""

    providers: Mapping[str, ProviderSettings] = field(default_factory=dict)
    """Providers by name, the default first. If there is none, the demo model answers. All but the default
    may have a `problem`."""
    model: str | None = None
    """Model of the default provider for cells that name none. None: the only model of the server."""
    model_origin: str = ""
    """Describes what sets `model`, for errors about it."""
    agents: Mapping[str, Any] = field(default_factory=dict)
    """`[agents]`, unchecked; `agents.resolve` reads it."""
    mcp_servers: Mapping[str, McpServerSettings] = field(default_factory=dict)
    """MCP servers by name, in the order of the file. Any may have a `problem`."""
    plugins_off: tuple[str, ...] = ()
    """Plug-ins that are not used: `PACKAGE`, or `PACKAGE:NAME` for one entry point."""
    approval: ApprovalPolicy = "deny"
    rules: tuple[Any, ...] = ()
    """Tables of `[approval] rules`, unchecked; `approval.rule` reads them."""
    limits: Mapping[str, float] = field(default_factory=dict)
    """Limits of one turn that are set, by `LIMIT_KEYS`; positive."""
    project_limits: Mapping[str, Any] = field(default_factory=dict)
    """Limits that the project wants, of any type; they can only lower `limits`."""
    warnings: tuple[str, ...] = ()
    """Problems with settings, one line each; shown in the first turn."""
    file: str = "msgbook.toml"
    """Name of the configuration file, for messages."""
    overridden: AdvisedWarning | None = None
    """Says that the environment's provider is the default and not the first of the file; None if that is not
    so. `warnings` has it, too, where the model of the file would be asked of that provider."""
    untrusted_project: str = ""
    """The warning that the project waits for the user's trust; empty for none."""
    other_keys: tuple[str, ...] = field(default=(), repr=False)
    """Other keys of the environment, which no provider uses."""
    set_aside: tuple[ProviderSettings, ...] = ()
    """Providers of the file that the environment replaces; their keys are secret, too."""

    @property
    def secrets(self) -> tuple[str, ...]:
        """Strings of all providers and MCP servers that must never be shown or passed on, longest first."""
        return _find_secrets(self._all_providers, self.other_keys, self.mcp_servers.values())

    @property
    def key_variables(self) -> tuple[str, ...]:
        """Names of the environment variables that hold keys, of all providers."""
        return tuple(p.key_variable for p in self._all_providers if p.key_variable)

    @property
    def _all_providers(self) -> tuple[ProviderSettings, ...]:
        return (*self.providers.values(), *self.set_aside)

    @property
    def provider(self) -> ProviderSettings | None:
        """The default provider; None if the demo model answers."""
        return next(iter(self.providers.values()), None)


def _find_secrets(
    providers: Iterable[ProviderSettings],
    others: Iterable[str],
    mcp_servers: Iterable[McpServerSettings],
) -> tuple[str, ...]:
    """Return keys, passwords in URLs and secret headers of servers, and other keys, longest first."""
    values: list[str] = [*others]
    variables: list[str] = []
    for server in mcp_servers:
        values += [*server.headers.values(), *_secrets_in(server.url)]
        variables += server.secret_values
    for provider in providers:
        values += [provider.api_key or "", *_secrets_in(provider.base_url)]
        values += [v for name, v in provider.headers.items() if _SECRET_HEADER.search(name)]
        values += _secret_options(provider.options)
    # "abc" of "Bearer abc" is secret too, and so is each long value of a cookie.
    words = {value.removeprefix(scheme) for value in values for scheme in ("", *_schemes(value))}
    words |= {word for value in values for word in _PARTS.findall(value)}
    words |= {*variables, *(word for value in variables for word in _secrets_in(value))}
    return tuple(sorted(filter(_is_secret, words), key=lambda w: (-len(w), w)))


def _secret_options(options: Mapping[str, Any]) -> Iterator[str]:
    """Yield the options of a plug-in that are named like a key, at any depth."""
    for name, value in options.items():
        match value:
            case Mapping():
                yield from _secret_options(value)
            case str() if _SECRET_OPTION.search(name):
                yield value


def _schemes(value: str) -> list[str]:
    found = _SCHEME.match(value)
    return [found[0]] if found else []


def _is_secret(word: str) -> bool:
    # One or two characters are not a secret.
    return len(word) > 2 and word.casefold() not in _NO_SECRETS


def _secrets_in(url: str | None) -> list[str]:
    """Return the password in a URL, as a header has it too, a token in its place, and keys in its query."""
    try:
        parts = urlsplit(url or "")
    except ValueError:
        return []  # not a URL: the provider has a problem
    user = parts.username or ""
    found = [parts.password or (user if len(user) >= _TOKEN else "")]
    if parts.password:
        both = f"{unquote(user)}:{unquote(parts.password)}"
        found.append(b64encode(both.encode()).decode())
    found += [value for name, value in parse_qsl(parts.query) if _SECRET_HEADER.search(name)]
    return [*found, *map(unquote, found)]


# The limits of a turn: the one table of their names and defaults. Pure.


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one turn; None stands for no limit. The fields are named as in `[limits]` and `%%msg`."""

    max_steps: int = 30
    """Model calls: more than tasks need, few enough that a loop costs little."""
    token_budget: int | None = None
    """Input and output tokens of all model calls; checked after each call."""
    time_budget: float | None = None
    """Seconds, without the time in which a person is asked."""
    max_cost: float | None = None
    """Cost of all model calls, in the currency of the prices; checked after each call."""
    answer_limit: int = 1_000_000
    """Characters of text, reasoning and arguments in the answer to one model call. Models that write
    128,000 tokens at most stay below it."""
    warn_tokens: int = 100_000
    """Estimated tokens of a request above which the reader is warned. Most models accept 128,000 or
    more."""
    subagent_depth: int = 1
    """Levels of sub-agents below a conversation: with 1, a sub-agent starts none itself; with 0, no
    agent starts any."""
    subagents_at_once: int = 8
    """Sub-agents of one call that run side by side; more wait. Servers limit requests a minute."""
    max_subagents: int = 24
    """Sub-agents that a turn may start, those of its sub-agents included: three rounds of `subagents_at_once`."""

    def narrow(self, wanted: Mapping[str, Any]) -> tuple[Limits, list[str]]:
        """Return these limits lowered to the values that a notebook wants. It can raise none.

        Returns:
            The limits, and a line for each value that is ignored.
        """
        accepted: dict[str, Any] = {}
        refusals = []
        for key in LIMIT_KEYS & wanted.keys():
            number, own = _number(key, wanted[key]), getattr(self, key)
            setting = f"{key}={one_line(str(wanted[key]), 80)}"
            if number is None:
                refusals.append(f"{setting} is ignored: expected {expected_number(key)}.")
            elif own is not None and number > own:
                refusals.append(f"{setting} is ignored: your own limit is {own}.")
            else:
                accepted[key] = math.ceil(number) if key in WHOLE_LIMITS else number
        return replace(self, **accepted), refusals


LIMIT_KEYS = frozenset(field.name for field in fields(Limits))

WHOLE_LIMITS = LIMIT_KEYS - {"time_budget", "max_cost"}
"""Limits that are whole numbers."""


LARGEST = sys.float_info.max
"""The largest number that can be reckoned with. TOML's whole numbers have no end."""

_MAY_BE_ZERO = {"subagent_depth", "max_subagents"}


def is_in_range(key: str, number: float) -> bool:
    """Return whether a limit may have this value."""
    return (number >= 0 if key in _MAY_BE_ZERO else number > 0) and number <= LARGEST


def expected_number(key: str) -> str:
    """Return a description of the values that a limit may have."""
    return "0 or a positive number" if key in _MAY_BE_ZERO else "a positive number"


def _number(key: str, value: Any) -> float | None:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if is_in_range(key, number) else None
