"""Secrets are taken out of the environment, and of all that is shown or sent."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, MutableMapping
from functools import lru_cache
from typing import Any

from msgbook.config.providers import OPENAI_KEYS
from msgbook.config.settings import Settings

_STRUCTURE = {"role", "type"}
"""Keys of a request whose values are words of the API's."""


def hide_key(settings: Settings, environ: MutableMapping[str, str] | None = None) -> None:
    """Take the keys out of the environment, so that no child process and no `!env` finds them.

    A URL with a password goes, too, and so does a key that stands in a further variable.
    """
    env = os.environ if environ is None else environ
    named, secrets = {*OPENAI_KEYS, *settings.key_variables}, settings.secrets
    for variable, value in [*env.items()]:
        if variable in named or _holds(value, secrets):
            del env[variable]


def _holds(value: str, secrets: Iterable[str]) -> bool:
    """Whether a secret stands in a value; a short one may be a part of anything, such as `PATH`."""
    return any(
        value == s or ((len(s) >= _BEGINNING or "://" in value) and s in value) for s in secrets
    )


_REDACTED = "[redacted]"
_BEGINNING = 8
"""Characters of a secret that are one: the rest of it may be still to come. Of a short one, fewer."""


def redact(text: str, secrets: Iterable[str]) -> str:
    """`text` without any of the secrets, and without the beginning of one at its end.

    What has been redacted stays as it is when that is done again.

    Args:
        secrets: The longest first.
    """
    secrets = tuple(secrets)
    if not secrets:
        return text
    if any(secret in text for secret in secrets):
        text = _expression(secrets).sub(_REDACTED, text)
    for secret in secrets:
        start = text.rfind(_beginning(secret), max(0, len(text) - len(secret)))
        if start >= 0 and secret.startswith(text[start:]) and not text.endswith(_REDACTED):
            text = text[:start] + _REDACTED
    return text


@lru_cache(8)
def _expression(secrets: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, (_REDACTED, *secrets))))


def may_hold(encoded: bytes, secrets: Iterable[str]) -> bool:
    """Whether `redact_json` could change what was encoded as JSON, without escapes of letters.

    To look takes a tenth of the time that redacting does, and nearly nothing holds a secret.
    """
    return any(beginning in encoded for beginning in _beginnings(tuple(secrets)))


@lru_cache(8)
def _beginnings(secrets: tuple[str, ...]) -> tuple[bytes, ...]:
    texts = (json.dumps(_beginning(secret), ensure_ascii=False) for secret in secrets)
    return tuple(text[1:-1].encode("utf-8", "replace") for text in texts)


def _beginning(secret: str) -> str:
    """So much of a secret as is one, at the end of a text."""
    return secret[: min(_BEGINNING, max(3, len(secret) - 3))]


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
