"""Removal of keys from the answer of a server, which may send one in pieces. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from msgbook.config import REDACTED, find_secrets

_DATA = re.compile(r"(?<![^\r\n\ufeff])data:[ \t]?([^\r\n]*)(\r\n|\r|\n|\Z)")
"""A line with data. Lines end as in server-sent events, where a mark of byte order may come first."""
_PLACES = ("item_id", "output_index", "index")
"""What an object of an event is about: calls may come side by side."""

Json = dict[str, Any] | list[Any]


def redact_answer(pieces: list[str], secrets: Sequence[str]) -> list[str]:
    """Return the pieces of a body without the secrets, as many as before.

    A secret is found in the texts that the pieces of its events make together, and in the body. An event is
    written anew only if its text has changed.
    """
    known = tuple(secrets)
    if not known or not pieces:
        return pieces
    events = [_parsed(piece) for piece in pieces]
    texts: dict[tuple[str, ...], list[_Text]] = {}
    for event in events:
        for text in [] if event is None else _texts(event):
            for key in dict.fromkeys([text.names, (*text.names, *text.place)]):
                texts.setdefault(key, []).append(text)
    changed: set[int] = set()
    for same in texts.values():
        parts = [text.value for text in same]
        spans = find_secrets("".join(parts), known)
        if spans:
            for text, part in zip(same, _redact_joined(parts, spans), strict=True):
                if part != text.value:
                    text.put(part)
                    changed.add(id(text.event))
    pieces = [
        _written(piece, event) if id(event) in changed and event is not None else piece
        for piece, event in zip(pieces, events, strict=True)
    ]
    spans = find_secrets("".join(pieces), known)
    return _redact_joined(pieces, spans) if spans else pieces


@dataclass(slots=True)
class _Text:
    """A string in an event."""

    event: Json
    holder: Any
    key: Any
    names: tuple[str, ...]
    """Names of the fields down to it."""
    place: tuple[str, ...]

    @property
    def value(self) -> str:
        return str(self.holder[self.key])

    def put(self, value: str) -> None:
        self.holder[self.key] = value


def _parsed(piece: str) -> Json | None:
    """Return the JSON of a body or of an event; None for none."""
    data = [found[1] for found in _DATA.finditer(piece)]
    try:
        found = json.loads("\n".join(data) if data else piece)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict | list) else None


def _written(piece: str, event: Json) -> str:
    """Return a piece with another event in place of its own."""
    text = json.dumps(event)
    lines = [*_DATA.finditer(piece)]
    if not lines:
        return text
    first, last = lines[0], lines[-1]
    return f"{piece[: first.start()]}data: {text}{last[2]}{piece[last.end() :]}"


def _texts(event: Json) -> Iterator[_Text]:
    """Yield the strings of an event. It is walked with a stack: JSON may be deep."""
    left: list[tuple[Any, tuple[str, ...], tuple[str, ...]]] = [(event, (), ())]
    while left:
        value, names, place = left.pop()
        if isinstance(value, dict):
            place = (*place, *(f"{key}={value[key]}" for key in _PLACES if key in value))
            items: Any = value.items()
        else:
            items = enumerate(value)
        below = []
        for key, item in items:
            path = (*names, key) if isinstance(key, str) else names
            if isinstance(item, str):
                yield _Text(event, value, key, path, place)
            elif isinstance(item, dict | list):
                below.append((item, path, place))
        left += reversed(below)


def _redact_joined(pieces: list[str], spans: Sequence[tuple[int, int]]) -> list[str]:
    """Return the pieces of a text without parts of it, which are in order."""
    redacted, start, number = [], 0, 0
    for piece in pieces:
        end, kept, position = start + len(piece), [], start
        while number < len(spans) and spans[number][0] < end:
            first, last = spans[number]
            if first >= start:
                kept += [piece[position - start : first - start], REDACTED]
            position = min(last, end)
            if last > end:
                break
            number += 1
        kept.append(piece[position - start :])
        redacted.append("".join(kept))
        start = end
    return redacted
