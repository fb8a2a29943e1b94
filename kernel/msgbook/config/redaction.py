"""Removal of secrets from the environment and from everything that is shown or sent."""

from __future__ import annotations

import os
from collections.abc import Iterable, MutableMapping
from functools import lru_cache
from typing import Any

from msgbook.config.providers import OPENAI_KEYS
from msgbook.config.settings import Settings
from msgbook.config.spellings import REDACTED, find_beginning, find_secrets, may_hold, replace_spans
from msgbook.text import changed_key

_STRUCTURE = {"role", "type"}
"""Keys of a request whose values are fixed by the API."""


def hide_keys(settings: Settings, environ: MutableMapping[str, str] | None = None) -> None:
    """Remove the keys from the environment, so that no child process and no `!env` finds them.

    This includes URLs with a password, and other variables with a key.
    """
    env = os.environ if environ is None else environ
    named, secrets = {*OPENAI_KEYS, *settings.key_variables}, settings.secrets
    for variable, value in [*env.items()]:
        if variable in named or _holds(value, secrets):
            del env[variable]


def _holds(value: str, secrets: tuple[str, ...]) -> bool:
    """Return whether a value contains a secret. A short one counts only as the complete value or in a URL."""
    if value in secrets:
        return True
    counted = secrets if "://" in value else tuple(s for s in secrets if len(s) >= _BEGINNING)
    return bool(find_secrets(value, counted))


_BEGINNING = 8
"""Characters of a secret that are redacted at the end of a text, where the rest may follow; fewer of a short
secret."""


def redact(text: str, secrets: Iterable[str]) -> str:
    """Return `text` without the secrets, however they are spelled, and without the beginning of one at its end.

    Redacting again changes nothing.

    Args:
        secrets: The secrets, longest first.
    """
    secrets = tuple(secrets)
    if not secrets:
        return text
    spans = find_secrets(text, secrets)
    if spans:
        text = replace_spans(text, spans)
    if not text.endswith(REDACTED):
        start = find_beginning(text, [(secret, _beginning(secret)) for secret in secrets])
        if start is not None:
            text = text[:start] + REDACTED
    return text


def may_contain(encoded: bytes, secrets: Iterable[str]) -> bool:
    """Return whether `redact_json` could change a value, given its JSON without escaped letters.

    This check takes a tenth of the time of redacting, and nearly nothing contains a secret.
    """
    known = tuple(secrets)
    return may_hold(encoded, _beginnings(known), known)


@lru_cache(8)
def _beginnings(secrets: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(_beginning, secrets))


def _beginning(secret: str) -> str:
    """Return the part of a secret that is redacted at the end of a text."""
    return secret[: min(_BEGINNING, max(3, len(secret) - 3))]


def redact_json(value: Any, secrets: Iterable[str]) -> Any:
    """Return a part of a request without the secrets. What names its structure stays, keys and values."""
    if isinstance(value, str):
        return redact(value, secrets)
    if isinstance(value, list):
        return [redact_json(entry, secrets) for entry in value]
    if not isinstance(value, dict):
        return value
    changed: dict[str, Any] = {}
    known = tuple(secrets)

    def hide(key: str) -> str:
        return replace_spans(key, find_secrets(key, known))

    for key, entry in value.items():
        name = changed_key(key, hide, changed)
        changed[name] = entry if key in _STRUCTURE else redact_json(entry, secrets)
    return changed
