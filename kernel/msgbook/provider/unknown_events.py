"""Events of types that nobody knows: counted, and told in one notice. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgbook.events import Notice
from msgbook.provider.json_events import content_words, quoted, shown_name

SILENT = frozenset(("response.created", "response.in_progress", "response.queued"))
_SIGNS_OF_LIFE = frozenset(("keepalive", "keep_alive", "keep-alive", "ping", "pong", "heartbeat"))
"""Events that say nothing which others do not say."""

_MOST_NAMES = 10
"""Types of events that a notice names."""
_KEPT = 1200
"""Characters that are kept of what the events of one type say: what is shown is a quarter of it."""
_NAMES = frozenset(("type", "item_id", "id", "event_id", "response_id", "call_id", "obfuscation"))
"""Keys of an event that hold texts which say nothing to a reader."""


class UnknownEvents:
    """Counts the events of unknown types, and keeps what they say, for one notice."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._words: dict[str, str] = {}
        self._others = 0

    def count(self, kind: str, event: dict[str, Any]) -> None:
        """Count an event, unless it is known to say nothing."""
        if kind in SILENT or kind.rpartition(".")[2] in _SIGNS_OF_LIFE:
            return
        name = shown_name(kind) or "(no type)"
        if name not in self._counts and len(self._counts) == _MOST_NAMES:
            self._others += 1
            return
        self._counts[name] = self._counts.get(name, 0) + 1
        said = self._words.get(name, "")
        if len(said) < _KEPT:
            further = {key: value for key, value in event.items() if key not in _NAMES}
            found = [content_words(value) for value in further.values()]
            self._words[name] = said + " ".join(filter(None, found))[: _KEPT - len(said)]

    def take(self) -> Iterator[Notice]:
        """Yield the notice that names them, once, if there were any."""
        counts, self._counts = self._counts, {}
        if not counts:
            return
        named = ", ".join(map(self._named, counts.items()))
        more = f" and {self._others:,} more" if self._others else ""
        yield Notice(f"Ignored unknown events from the server: {named}{more}.")

    def _named(self, counted: tuple[str, int]) -> str:
        name, count = counted
        words = self._words.get(name)
        return f"`{name}` ({count:,})" + (f": {quoted(words)}" if words else "")
