"""What the user set, and which of it is secret."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import parse_qsl, unquote, urlsplit

DEMO_MODEL = "demo"

_SECRET_HEADER = re.compile(r"auth|key|token|secret|cookie|password", re.IGNORECASE)

_SCHEME = re.compile(r"[A-Za-z][\w-]*\s+(?=\S)")
_TOKEN = 16
"""Characters of a user's name in a URL that is no name."""
_PARTS = re.compile(r"[^\s;,=]{8,}")

# fmt: off
_NO_SECRETS = frozenset({
    "none", "null", "no-key", "nokey", "no_key", "not-needed", "not_needed", "notneeded", "not-required",
    "unused", "empty", "dummy", "fake", "test", "local", "key", "api-key", "api_key", "apikey", "your-api-key",
    "placeholder", "anything", "ollama", "lm-studio", "lmstudio", "vllm", "llama.cpp", "llamacpp", "localai",
    "token", "sk-no-key-required", "bearer", "negotiate",
})
# fmt: on
"""What is given as a key where none is needed, and names of schemes that stand before one."""

ApprovalPolicy = Literal["ask", "deny", "allow"]


@dataclass(frozen=True, slots=True)
class ProviderSettings:
    """How to reach one server. Holds secrets: `repr` does not show them."""

    name: str
    base_url: str | None = field(default=None, repr=False)
    """None for the SDK's default, OpenAI."""
    api_key: str | None = field(default=None, repr=False)
    key_variable: str | None = None
    """Name of the environment variable that the key came from."""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    prices: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """Of a model: currency units per million tokens, by `PRICE_KEYS`."""
    keep_reasoning: bool = False
    """Whether the server wants the reasoning of earlier turns back."""
    alternate: bool = False
    """Whether it insists that user and assistant messages alternate."""
    from_environment: bool = False
    """Whether the environment sets it; else `[providers.NAME]` does."""
    problem: str = ""
    """Why it cannot be used; empty for one that can."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What the user set, for one kernel."""

    providers: Mapping[str, ProviderSettings] = field(default_factory=dict)
    """By name, the default one first; empty: nothing is set, the built-in demo model answers. All
    but the default may have a `problem`."""
    model: str | None = None
    """Model of the default provider for cells that name none; None leaves it to the server when it
    offers just one."""
    agents: Mapping[str, Any] = field(default_factory=dict)
    """`[agents]`, as it stands: `agents.resolve` reads it."""
    mcp_servers: tuple[str, ...] = ()
    """Names of those in `[mcp_servers]`."""
    approval: ApprovalPolicy = "deny"
    rules: tuple[Any, ...] = ()
    """Tables of `[approval] rules`, as they stand: `tools.rules` reads them."""
    limits: Mapping[str, float] = field(default_factory=dict)
    """Of one turn: those of `LIMIT_KEYS` that are set; positive."""
    project_limits: Mapping[str, Any] = field(default_factory=dict)
    """What the project wants of `limits`, of any type; it can only lower them."""
    warnings: tuple[str, ...] = ()
    """One line each, about settings that were not understood; shown in the first turn."""
    untrusted_project: str = ""
    """That of the warnings which is none of a fault: the project waits for the user's trust."""
    other_keys: tuple[str, ...] = field(default=(), repr=False)
    """Further keys of the environment, which no provider uses."""
    set_aside: tuple[ProviderSettings, ...] = ()
    """Providers of the file that the environment takes the place of; their keys are secret, too."""

    @property
    def secrets(self) -> tuple[str, ...]:
        """Strings that must never be shown or handed on, longest first: those of all providers."""
        return _secrets_of(self._every, self.other_keys)

    @property
    def key_variables(self) -> tuple[str, ...]:
        """Names of the environment variables that hold keys, of all providers."""
        return tuple(p.key_variable for p in self._every if p.key_variable)

    @property
    def _every(self) -> tuple[ProviderSettings, ...]:
        return (*self.providers.values(), *self.set_aside)

    @property
    def provider(self) -> ProviderSettings | None:
        """The default one; None: the built-in demo model answers."""
        return next(iter(self.providers.values()), None)


def _secrets_of(providers: Iterable[ProviderSettings], others: Iterable[str]) -> tuple[str, ...]:
    """The keys, passwords in URLs and secret headers of some providers, and others, longest first."""
    values = [*others]
    for provider in providers:
        values += [provider.api_key or "", *_secrets_in(provider.base_url)]
        values += [v for name, v in provider.headers.items() if _SECRET_HEADER.search(name)]
    # "Bearer abc" has to be found as "abc" too, and so has a long value among several of a cookie.
    words = {value.removeprefix(scheme) for value in values for scheme in ("", *_schemes(value))}
    words |= {word for value in values for word in _PARTS.findall(value)}
    return tuple(sorted(filter(_is_secret, words), key=lambda w: (-len(w), w)))


def _schemes(value: str) -> list[str]:
    found = _SCHEME.match(value)
    return [found[0]] if found else []


def _is_secret(word: str) -> bool:
    """Whether a value is one that nobody may see; one or two characters keep nothing secret."""
    return len(word) > 2 and word.casefold() not in _NO_SECRETS


def _secrets_in(url: str | None) -> list[str]:
    """The password in a URL, a token in its place, and what a query calls a key."""
    try:
        parts = urlsplit(url or "")
    except ValueError:
        return []  # no URL: the provider has a problem
    user = parts.username or ""
    found = [parts.password or (user if len(user) >= _TOKEN else "")]
    found += [value for name, value in parse_qsl(parts.query) if _SECRET_HEADER.search(name)]
    return [*found, *map(unquote, found)]
