"""Removal of keys from the answer of a server, which may send one in pieces. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgbook.cassette.known_secrets import secret_expression

_REDACTED = "[redacted]"

_FIELD = re.compile(
    r'"(content|text|thinking|refusal|name|arguments|reasoning\w*|summary|data|delta|message)"'
    r'\s*:\s*"((?:[^"\\]|\\.)*)"'
)
"""A string of an event whose pieces belong together over events."""
_PLACE = re.compile(r'"(?:item_id|output_index|index)"\s*:\s*("(?:[^"\\]|\\.)*"|\d+)')
"""What an event is about: calls may come side by side."""


def redact_answer(pieces: list[str], secrets: Sequence[str]) -> list[str]:
    """Return the pieces of a body without the secrets, as many as before.

    A secret is found in the body, and in the texts that the pieces of its events make together.
    """
    found = tuple(secrets)
    if not found or not pieces:
        return pieces
    secret = secret_expression(found)
    body = "".join(pieces)
    if secret.search(body):
        pieces = _redact_joined(pieces, secret)
    texts: dict[tuple[str, ...], list[str]] = {}
    for piece in pieces:
        place = _PLACE.findall(piece)
        for name, text in _FIELD.findall(piece):
            for key in dict.fromkeys([(name,), (name, *place)]):
                texts.setdefault(key, []).append(text)
    for key in texts:
        if secret.search("".join(texts[key])):
            pieces = _redact_field(pieces, key, secret)
    return pieces


def _redact_joined(pieces: list[str], secret: re.Pattern[str]) -> list[str]:
    """Return the pieces of a text without what matches in the joined text."""
    spans = [found.span() for found in secret.finditer("".join(pieces))]
    redacted, start = [], 0
    for piece in pieces:
        end, kept, position = start + len(piece), [], start
        for first, last in spans:
            if last <= position or first >= end:
                continue
            if first >= start:
                kept += [piece[position - start : first - start], _REDACTED]
            position = min(last, end)
        kept.append(piece[position - start :])
        redacted.append("".join(kept))
        start = end
    return redacted


def _redact_field(pieces: list[str], key: tuple[str, ...], secret: re.Pattern[str]) -> list[str]:
    """Return the pieces without what matches in the joined texts of a field.

    Args:
        key: Name of the field, and the place of its events; without one, those of all events are joined.
    """
    name, place = key[0], [*key[1:]]
    chosen = [not place or _PLACE.findall(piece) == place for piece in pieces]
    texts = [
        text
        for piece, is_chosen in zip(pieces, chosen, strict=True)
        for field, text in (_FIELD.findall(piece) if is_chosen else [])
        if field == name
    ]
    clean = iter(_redact_joined(texts, secret))

    def replaced(found: re.Match[str]) -> str:
        if found[1] != name:
            return found[0]
        head = found[0][: found.start(2) - found.start()]
        return f'{head}{next(clean)}"'

    return [
        _FIELD.sub(replaced, piece) if is_chosen else piece
        for piece, is_chosen in zip(pieces, chosen, strict=True)
    ]
