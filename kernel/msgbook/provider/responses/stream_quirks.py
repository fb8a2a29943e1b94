"""Quirks of the events of a response: those that come twice. Pure."""

from __future__ import annotations

import re
from array import array
from typing import Any

_LAST_EVENTS = 10_000
"""Last events among which one is taken for repeated by its number, and at most twice as many."""

_MOST_EVENTS = 500_000
"""First events of a stream whose copy is found."""

_MOST_WAITING = 8
"""New events after which a copy that was not followed by more is given up."""

_UNTOLD = ("response.in_progress", "response.queued")
"""Events that say nothing and come at any time."""

_OWN = r'"(?:sequence_number|event_id|obfuscation)"\s*:\s*(?:-?\d+|"[^"\\]*"|null)'
_OWN_NUMBER = re.compile(rf",\s*{_OWN}|{_OWN}\s*,")
"""What one and the same event may have of its own each time."""

_UNIQUE = {"response.created": "response", "response.output_item.added": "item"}
"""Events that a stream has once, by the key of what they name."""


class RepeatedEvents:
    """Finds events that a server or a proxy sends twice."""

    def __init__(self) -> None:
        self._numbers, self._copy = _Numbers(), _Copy()

    def is_repeat(self, event: dict[str, Any], data: str) -> bool:
        """Return whether this event came before.

        Args:
            data: The event as it was sent.
        """
        return self._numbers.is_repeat(event, data) or self._copy.goes_on_with(event, data)


class _Numbers:
    """Events by their `sequence_number`.

    Some servers give all events the same number (vLLM: -1). Theirs are never taken for repeated.
    """

    def __init__(self) -> None:
        self._seen: dict[int, int] = {}
        self._before: dict[int, int] = {}
        """Those seen before: taking single ones out of a dictionary would take longer each time."""
        self._is_counted = True

    def is_repeat(self, event: dict[str, Any], data: str) -> bool:
        number = event.get("sequence_number")
        if type(number) is not int or not self._is_counted:
            return False
        mark, known = hash(data), self._seen.get(number, self._before.get(number))
        if len(self._seen) == _LAST_EVENTS:
            self._before, self._seen = self._seen, {}
        self._seen[number] = mark
        if known is None:
            return False
        self._is_counted = known == mark
        # Where there is one number so far, all events may have it.
        return known == mark and len(self._seen) + len(self._before) > 1


class _Copy:
    """Follows a second copy of the stream, whose events have other numbers or none.

    It begins with the first event again. Either a proxy begins anew: then the copy comes at a stretch, and
    goes on where the stream was. Or two relays send the same: then its events come between new ones, or each at once.
    """

    def __init__(self) -> None:
        self._marks = array("q")
        self._next = -1
        """Place of the copy's next event; -1 if there is none."""
        self._lag = 0
        """Events that had come when it began."""
        self._is_beside = False
        """Whether new events have come since, and those of the copy between them."""
        self._new = 0
        """New events since the last one of the copy."""

    def goes_on_with(self, event: dict[str, Any], data: str) -> bool:
        """Return whether an event is the next of a copy, and none of the stream."""
        marks = self._marks
        if event.get("type") in _UNTOLD or not (marks or _is_unique(event)):
            return False
        mark = _mark(event, data)
        if marks and mark == marks[0] and _is_unique(event):
            self._next, self._lag, self._is_beside = 0, len(marks), False
        if 0 <= self._next < len(marks) and mark == marks[self._next]:
            self._next, self._new = self._next + 1, 0
            self._is_beside |= self._next > 1 and self._lag == 1
            if self._next == len(marks) > 1 and not self._is_beside:
                self._next = -1
            return True
        if self._next >= 0:
            self._note_new()
        if len(marks) < _MOST_EVENTS:
            marks.append(mark)
        return False

    def _note_new(self) -> None:
        self._new += 1
        if self._next < len(self._marks):
            self._is_beside |= self._lag > 1
            if not self._is_beside or self._new > self._lag + _MOST_WAITING:
                self._next = -1


def _mark(event: dict[str, Any], data: str) -> int:
    """Return what an event and its copy have in common. Of a piece it is what it says, and where it belongs."""
    piece = event.get("delta")
    if isinstance(piece, str):
        kind, name, place = event.get("type"), event.get("item_id"), event.get("output_index")
        if type(kind) is str and type(name) is str and type(place) is int:
            return hash((kind, name, place, piece))
    return hash(_OWN_NUMBER.sub("", data))


def _is_unique(event: dict[str, Any]) -> bool:
    kind = event.get("type")
    named = event.get(_UNIQUE.get(kind, "")) if isinstance(kind, str) else None
    return isinstance(named, dict) and bool(named.get("id") or named.get("call_id"))
