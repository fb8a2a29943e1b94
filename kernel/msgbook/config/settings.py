"""What the user set, and which of it is secret."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urlsplit

DEMO_MODEL = "demo"

_SECRET_HEADER = re.compile(r"auth|key|token|secret|cookie|password", re.IGNORECASE)

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
    """Of one turn: those of `LIMIT_KEYS` that are set; positive."""
    project_limits: Mapping[str, Any] = field(default_factory=dict)
    """What the project wants of `limits`, of any type; it can only lower them."""
    warnings: tuple[str, ...] = ()
    """One line each, about settings that were not understood; shown in the first turn."""
    untrusted_project: str = ""
    """That of the warnings which is none of a fault: the project waits for the user's trust."""

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


def _password(url: str | None) -> str:
    return urlsplit(url).password or "" if url else ""
