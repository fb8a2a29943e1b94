"""Content that a server sends under a key, in a line or in an event that nobody knows: reported, not dropped. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from msgbook.events import Notice
from msgbook.provider.json_events import is_too_deep
from msgbook.text import excerpt, one_line, visible, without_data

NO_EVENT = "a line that is no event"
"""Name of what stands in a stream and is no event."""

_MOST_NAMES = 10
_NAME_LENGTH = 80
_SHOWN = 300
"""Characters of the content under one name that are shown."""
_KEPT = 4 * _SHOWN
"""Characters that are kept of it: what is shown is cut at a word, without data of images."""


class UnknownContent:
    """Collects content under names that nobody knows, for one notice a name."""

    def __init__(self) -> None:
        self._words: dict[str, list[str]] = {}
        self._sizes: dict[str, int] = {}
        self._others = 0

    def add(self, name: str, value: Any) -> None:
        """Keep what a value says; a value without any text is no content."""
        words = content_words(value)
        if not words:
            return
        name = shown_name(name)
        if name not in self._words and len(self._words) == _MOST_NAMES:
            self._others += 1
            return
        left = _KEPT - self._sizes.get(name, 0)
        if left > 0:
            self._words.setdefault(name, []).append(words[:left])
            self._sizes[name] = self._sizes.get(name, 0) + len(words)

    def take(self) -> Iterator[Notice]:
        """Yield the notices, once."""
        words, others = self._words, self._others
        self._words, self._sizes, self._others = {}, {}, 0
        for name, pieces in words.items():
            lead = f"The server sent `{name}`, which msgbook cannot show as part of the answer: "
            yield Notice(lead + quoted("".join(pieces)), "warning")
        if others:
            yield Notice(f"The server sent more that msgbook does not know: {others:,}.", "warning")


def content_words(value: Any) -> str:
    """Return a text, or a value that holds one as JSON; empty for a value that says nothing."""
    if isinstance(value, str):
        return value if value.strip() else ""
    if not isinstance(value, dict | list) or is_too_deep(value) or not _has_text(value):
        return ""
    return json.dumps(value, ensure_ascii=False)


def shown_name(name: str) -> str:
    """Return a name of a server on one line, bounded, to stand in backticks."""
    return visible(one_line(name, _NAME_LENGTH)).replace("`", "'")


def quoted(words: str) -> str:
    """Return the words of a server in quotation marks, on one line, bounded."""
    return f"“{visible(excerpt(without_data(words, ended=False), _SHOWN))}”"


def _has_text(value: Any) -> bool:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return any(map(_has_text, value))
    return isinstance(value, str) and bool(value.strip())
