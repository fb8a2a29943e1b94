"""Output items that are calls of functions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgbook.events import StreamEvent
from msgbook.growing_text import GrowingText
from msgbook.provider.responses.output_item import Item
from msgbook.provider.responses.sent_text import SentText
from msgbook.provider.tool_call_pieces import CallAssembler, json_text

_HELD_LIMIT = 4096
"""Most characters of arguments that wait for their name."""


class CallItem(Item):
    """A call of a function. Its arguments are held back until its name has come.

    Args:
        calls: The calls of the answer.
    """

    def __init__(self, item_id: str, index: int | None, calls: CallAssembler) -> None:
        super().__init__("function_call", item_id, index)
        self._calls = calls
        self.call_id = self.name = ""
        self._our_id = ""
        self._arguments = SentText()
        self._held = GrowingText()
        self._announced = ""

    @property
    def ids(self) -> set[str]:
        return {self.id, self.call_id}

    def begin(self, item: dict[str, Any]) -> Iterator[StreamEvent]:
        self.is_announced = True
        self._announced = self._announced or json_text(item.get("arguments"))
        yield from self._open(item)

    def add(self, kind: str, index: Any, text: str) -> Iterator[StreamEvent]:
        yield from self._say(self._arguments.add(0, text))

    def end_part(self, kind: str, index: Any, text: str) -> Iterator[StreamEvent]:
        yield from self._say(self._arguments.end_part(0, text))

    def finish(self, item: dict[str, Any]) -> Iterator[StreamEvent]:
        yield from self._open(item)
        yield from self.end_part("arguments", 0, json_text(item.get("arguments")))
        self.is_done, self.complete = True, item
        said = ("id", "type", "status", "name", "arguments", "call_id")
        further = {key: v for key, v in item.items() if v is not None and key not in said}
        if further and self._our_id:
            kept = {"type": "function_call", "call_id": self._our_id}
            yield from self._keep(kept | further)

    def close(self) -> Iterator[StreamEvent]:
        if not self.is_done and not self._arguments:
            yield from self.end_part("arguments", 0, self._announced)
        if not self._our_id:
            yield self._feed(self._held.take(), None)
        self.is_done = True

    def _open(self, item: dict[str, Any]) -> Iterator[StreamEvent]:
        """Yield the beginning of the call as soon as its name is known."""
        name, call_id = item.get("name"), item.get("call_id")
        if isinstance(call_id, str):
            self.call_id = self.call_id or call_id
        if isinstance(name, str) and name and not self._our_id:
            self.name = name
            yield self._feed(self._held.take(), name)

    def _say(self, text: str) -> Iterator[StreamEvent]:
        if not self._our_id:
            self._held.add(text)
            if self._held.size > _HELD_LIMIT:
                yield self._feed(self._held.take(), None)
        elif text:
            yield self._feed(text, None)

    def _feed(self, arguments: str, name: str | None) -> StreamEvent:
        function = {"name": name, "arguments": arguments}
        piece = {"index": id(self), "id": self.call_id, "function": function}
        event = self._calls.feed(piece)
        self._our_id = event.id
        return event
