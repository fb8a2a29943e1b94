"""Comparison of a value in a rule with a value of a call's arguments. Pure."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from msgbook.text import visible

_NOT_IN_STAR = set(";&|<>`$\\\"'()#~!{}[]?*")
"""Characters that `*` never matches, since a shell gives them a meaning. `#` would end the command before
the rest of the pattern, and `.{.,}` would lead to the folder above."""


def canonical_json(value: Any) -> str:
    """Return the JSON text that all equal values have in common."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def matches_path(expected: Any, real: str, folder: Path) -> bool:
    """Return whether a pattern, absolute or relative to the notebook's folder, matches a real path."""
    if not isinstance(expected, str):
        return False
    shown = real if Path(expected).is_absolute() else os.path.relpath(real, folder)
    return matches_value(os.path.normpath(expected), shown)


def matches_value(expected: Any, given: Any) -> bool:
    """Return whether the value of a rule, in which `*` stands for harmless text, matches a call's."""
    if isinstance(expected, str) and "*" in expected:
        if isinstance(given, str):
            return _matches_text(expected, given)
        return expected == "*" and (given is None or isinstance(given, bool | int | float))
    return canonical_json(expected) == canonical_json(given)


def _matches_text(pattern: str, text: str) -> bool:
    """Return whether a text is the pattern with harmless text in place of each `*`.

    Each piece of the pattern matches at its first place, so that no text takes long. In rare cases
    only a later place would match; then the call needs approval.
    """
    first, *middle, last = pattern.split("*")
    if len(text) < len(first) + len(last) or not text.startswith(first) or not text.endswith(last):
        return False
    at, end = len(first), len(text) - len(last)
    for piece in middle:
        found = text.find(piece, at, end)
        if found < 0 or not _is_harmless(text[at:found]):
            return False
        at = found + len(piece)
    return _is_harmless(text[at:end])


def _is_harmless(text: str) -> bool:
    """Return whether `*` may match a text: no shell syntax, no `..`, no invisible characters."""
    return not _NOT_IN_STAR & set(text) and ".." not in text and visible(text) == text
