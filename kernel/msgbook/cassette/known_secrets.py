"""Secrets in the text of a line, as they are and as JSON writes them. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import lru_cache

_LEAST = 6
"""Characters of a secret that is looked for in a cassette: a shorter one may be a part of a word."""


def holds_secret(text: str, secrets: Sequence[str]) -> bool:
    """Return whether a text holds a secret. Short ones, which may be parts of words, do not count."""
    long = tuple(secret for secret in secrets if len(secret) >= _LEAST)
    return bool(long) and secret_expression(long).search(text) is not None


@lru_cache(8)
def secret_expression(secrets: tuple[str, ...]) -> re.Pattern[str]:
    """Return what matches each of the secrets, of which there is at least one."""
    forms = [
        form
        for secret in secrets
        for form in (secret, json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1])
    ]
    # What JSON writes is longer, and half of an escape must not stay.
    longest_first = sorted(dict.fromkeys(forms), key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first)))
