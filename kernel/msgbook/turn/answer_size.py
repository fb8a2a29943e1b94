"""The bound of one answer: an answer without an end fills no memory. Pure."""

from __future__ import annotations

import json
from collections.abc import Hashable
from dataclasses import replace

from msgbook.events import (
    Citations,
    ModelDisplay,
    Notice,
    OutputItem,
    ReasoningDelta,
    ReasoningDetails,
    StreamEvent,
    TextDelta,
    ToolCallDelta,
)

MAX_PARTS = 2000
"""Most texts, calls, items and notices of one answer: each becomes a block."""

MAX_DATA = 32_000_000
"""Most characters of what an answer holds beside texts and calls, such as pictures."""


class AnswerSize:
    """Counts the events of one answer, and cuts it at its bound.

    Args:
        limit: Most characters of text, reasoning and arguments.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._left, self._data_left, self._parts_left = limit, MAX_DATA, MAX_PARTS
        self._part: Hashable = None
        self._calls = 0
        self.notice = ""
        """Says which bound is reached; empty as long as none is."""

    def fit(self, event: StreamEvent) -> StreamEvent | None:
        """Return as much of the next event as the answer may hold; None for nothing."""
        match event:
            case TextDelta(text=text, refusal=refusal):
                return self._text(event, text, ("text", refusal))
            case ReasoningDelta(text=text):
                return self._text(event, text, "reasoning")
            case ToolCallDelta():
                return self._call(event)
            case OutputItem(item=data) | Citations(citations=data) | ReasoningDetails(details=data):
                return self._data(event, len(json.dumps(data, ensure_ascii=False)))
            case ModelDisplay(data=pictures, item=item):
                further = json.dumps(item, ensure_ascii=False) if item else ""
                return self._data(event, sum(map(len, pictures.values())) + len(further))
            case Notice(text=text):
                return self._data(event, len(text))
        return event

    def _text(
        self, event: TextDelta | ReasoningDelta, text: str, part: Hashable
    ) -> StreamEvent | None:
        if part != self._part and not self._begin(part):
            return None
        room = self._take(len(text))
        if room == len(text):
            return event
        return replace(event, text=text[:room]) if room else None

    def _call(self, event: ToolCallDelta) -> StreamEvent | None:
        if event.index == self._calls:
            if not self._begin("call"):
                return None
            self._calls += 1
        self._take(len(event.name))
        room = self._take(len(event.arguments))
        return (
            event
            if room == len(event.arguments)
            else replace(event, arguments=event.arguments[:room])
        )

    def _data(self, event: StreamEvent, size: int) -> StreamEvent | None:
        if not self._begin(None):
            return None
        if size > self._data_left:
            self.notice = (
                f"The answer holds more than {MAX_DATA:,} characters of data beside its text, "
                "so its rest was not read."
            )
            return None
        self._data_left -= size
        return event

    def _begin(self, part: Hashable) -> bool:
        """Count a part; return whether the answer may have it."""
        self._part = part
        if not self._parts_left:
            self.notice = f"The answer has more than {MAX_PARTS:,} parts, so its rest was not read."
            return False
        self._parts_left -= 1
        return True

    def _take(self, size: int) -> int:
        """Return how many of some characters the answer may have."""
        if size > self._left:
            self.notice = f"The answer is longer than {self._limit:,} characters (answer_limit), so its rest was not read."
        room = min(size, self._left)
        self._left -= room
        return room
