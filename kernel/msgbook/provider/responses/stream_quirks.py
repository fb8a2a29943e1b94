"""Quirks of the events of a response: those that come twice, and those of types that nobody knows. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgbook.events import Notice
from msgbook.text import one_line

_SILENT = {
    "response.content_part.added",
    "response.content_part.done",
    "response.reasoning_part.added",
    "response.reasoning_part.done",
    "response.reasoning_summary_part.added",
    "response.reasoning_summary_part.done",
    "response.created",
    "response.in_progress",
    "response.queued",
    "keepalive",
    "ping",
}
"""Events that say nothing which others do not say."""

_LAST_EVENTS = 10_000
"""Events among which one is taken for repeated."""

_MOST_NAMES = 10
_NAME_LENGTH = 80


class RepeatedEvents:
    """Finds events that a server or a proxy sends twice, by their `sequence_number`.

    Some servers give all events the same number (vLLM: -1). Theirs are never taken for repeated.
    """

    def __init__(self) -> None:
        self._seen: dict[int, int] = {}
        self._is_counted = True

    def is_repeat(self, event: dict[str, Any], data: str) -> bool:
        """Return whether this event came before.

        Args:
            data: The event as it was sent.
        """
        number = event.get("sequence_number")
        if type(number) is not int or not self._is_counted:
            return False
        mark, known = hash(data), self._seen.get(number)
        self._seen[number] = mark
        if len(self._seen) > _LAST_EVENTS:
            del self._seen[next(iter(self._seen))]
        self._is_counted = known in (None, mark)
        return known == mark


class UnknownEvents:
    """Counts the events of unknown types, for one notice."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._others = 0

    def count(self, kind: str) -> None:
        """Count an event, unless it is known to say nothing."""
        name = one_line(kind, _NAME_LENGTH).replace("`", "'") or "(no type)"
        if kind in _SILENT:
            return
        if name in self._counts or len(self._counts) < _MOST_NAMES:
            self._counts[name] = self._counts.get(name, 0) + 1
        else:
            self._others += 1

    def notices(self) -> Iterator[Notice]:
        """Yield the notice that names them, if there were any."""
        counts, self._counts = self._counts, {}
        if not counts:
            return
        named = ", ".join(f"`{name}` ({number:,})" for name, number in counts.items())
        more = f" and {self._others:,} more" if self._others else ""
        yield Notice(f"Ignored unknown events from the server: {named}{more}.")
