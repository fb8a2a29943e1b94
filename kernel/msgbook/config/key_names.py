"""Keys in a `msgbook.toml` that stand where msgbook reads none."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Any

_KEY_NAME = re.compile(r"(?:auth|key|token|secret|cookie|password)$", re.IGNORECASE)

_KEY_LENGTH = 8
"""Characters from which on a setting named like a key counts as one."""


def texts_named_like_keys(toml: str) -> Iterator[str]:
    """Yield the texts of a file's settings that are named like a key."""
    waiting: list[Any] = [tomllib.loads(toml)]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            for name, entry in value.items():
                if isinstance(entry, str) and len(entry) >= _KEY_LENGTH and _KEY_NAME.search(name):
                    yield entry
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
