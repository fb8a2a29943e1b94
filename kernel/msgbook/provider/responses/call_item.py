"""Output items that are calls of functions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from msgbook.events import Notice, StreamEvent
from msgbook.growing_text import GrowingText
from msgbook.provider.responses.output_item import Item, Match
from msgbook.provider.responses.sent_text import SentText
from msgbook.provider.restarted_arguments import RestartedArguments
from msgbook.provider.tool_call_pieces import CallAssembler, is_json, json_text, same_json
from msgbook.provider.unknown_content import quoted

_SAID = frozenset(
    (
        "id",
        "item_id",
        "type",
        "status",
        "name",
        "arguments",
        "call_id",
        "output_index",
        "sequence_number",
    )
)
"""Keys of an item that its block or its events say."""

_HELD_LIMIT = 4096
"""Most characters of arguments that wait for their name."""


class CallItem(Item):
    """A call of a function. Its arguments are held back until its name has come.

    Args:
        calls: The calls of the answer.
    """

    def __init__(self, item_id: str, index: int | None, number: int, calls: CallAssembler) -> None:
        super().__init__("function_call", item_id, index, number)
        self._calls = calls
        self.call_id = self.name = ""
        self._our_id = ""
        self._arguments = SentText(is_complete=is_json)
        self._restarted = RestartedArguments()
        self._held = GrowingText()
        self._announced = ""

    def is_named(self, name: str) -> bool:
        return name == self.call_id or super().is_named(name)

    def match(self, item: dict[str, Any]) -> Match:
        name, sent = item.get("name"), str(self._arguments) or self._announced
        is_named = not self.name or not isinstance(name, str) or name in ("", self.name)
        whole = json_text(item.get("arguments"))
        if not sent:
            may_be = is_named and (not self.is_done or not whole)
            return Match.POSSIBLE if may_be else Match.OTHER
        last = json_text(self.complete.get("arguments")) if self.complete else sent
        if same_json(sent, whole) or same_json(last, whole):
            return Match.SAME if is_named else Match.POSSIBLE
        is_begun = whole.startswith(sent) or (self.is_announced and _is_part(sent, whole))
        may_be = is_named and is_begun and not self.is_done
        return Match.POSSIBLE if may_be else Match.OTHER

    def has_said(self, whole: str) -> bool:
        return self._arguments.has_said(whole)

    def is_other(self, item: dict[str, Any]) -> bool:
        """Return whether an announced item with an id of this one is another call: ids may come again."""
        call_id = item.get("call_id")
        return self.is_done and bool(self.call_id and call_id) and call_id != self.call_id

    def begin(self, item: dict[str, Any]) -> Iterator[StreamEvent]:
        self.is_announced = True
        self._announced = self._announced or json_text(item.get("arguments"))
        yield from self.open(item)

    def add(self, kind: str, index: Any, text: str) -> Iterator[StreamEvent]:
        text = self._restarted.feed(text, lambda: str(self._arguments))
        yield from self._say(self._arguments.add(0, text)[1])

    def end_part(self, kind: str, index: Any, text: str) -> Iterator[StreamEvent]:
        yield from self._say(self._arguments.end_part(0, text)[1])

    def finish(self, item: dict[str, Any]) -> Iterator[StreamEvent]:
        yield from self.open(item)
        yield from self.end_part("arguments", 0, json_text(item.get("arguments")))
        self.is_done, self.complete = True, item
        further = {key: v for key, v in item.items() if v is not None and key not in _SAID}
        if further and self._our_id:
            kept = {"type": "function_call", "call_id": self._our_id}
            yield from self._keep(kept | further)

    def close(self) -> Iterator[StreamEvent]:
        if not self.is_done and not self._arguments:
            yield from self.end_part("arguments", 0, self._announced)
        for _, held in self._arguments.held():
            yield from self._say(held)
        if not self._our_id:
            yield self._feed(self._held.take(), None)
        differing = self._arguments.take_differing()
        sent = str(self._arguments)
        is_same = is_json(sent) and (same_json("{}", differing) or _is_part(sent, differing))
        if differing and not is_same:
            words = (
                "The server's complete arguments are not those that it sent in pieces. They are: "
            )
            yield Notice(words + quoted(differing), "warning")
        self.is_done = True

    def open(self, item: dict[str, Any]) -> Iterator[StreamEvent]:
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


def _is_part(sent: str, whole: str) -> bool:
    """Return whether arguments are others with some added: a server may add its defaults at the end."""
    try:
        one, other = json.loads(sent), json.loads(whole)
    except (ValueError, RecursionError):
        return False
    both = isinstance(one, dict) and isinstance(other, dict)
    return both and all(key in other and other[key] == one[key] for key in one)
