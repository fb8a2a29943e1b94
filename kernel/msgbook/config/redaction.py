"""Secrets are taken out of the environment, and of all that is shown or sent."""

from __future__ import annotations

import os
from collections.abc import Iterable, MutableMapping
from typing import Any

from msgbook.config.settings import Settings

_STRUCTURE = {"role", "type"}
"""Keys of a request whose values are words of the API's."""


def hide_key(settings: Settings, environ: MutableMapping[str, str] | None = None) -> None:
    """Take the keys out of the environment, so that no child process and no `!env` finds them."""
    env = os.environ if environ is None else environ
    for variable in ("OPENAI_API_KEY", *settings.key_variables):
        env.pop(variable, None)


_BEGINNING = 8
"""Characters of a secret that are one: the rest of it may be still to come."""


def redact(text: str, secrets: Iterable[str]) -> str:
    """`text` without any of the secrets, and without the beginning of one at its end."""
    for secret in secrets:
        text = text.replace(secret, "[redacted]")
        start = text.rfind(secret[:_BEGINNING], max(0, len(text) - len(secret)))
        if start >= 0 and secret.startswith(text[start:]):
            text = text[:start] + "[redacted]"
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
