"""One output item of a response while it arrives: the base of all types.

The events of an item come in pieces, and some servers send them twice or leave them out. So an item
may be completed more than once: the first complete text counts (`SentText`), and the item is kept once.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

from msgbook.events import Notice, OutputItem, StreamEvent
from msgbook.provider.answer_quirks import join_text, objects, repair_json
from msgbook.provider.responses.sent_text import SentText
from msgbook.text import one_line

_TEXTS = {
    "summary": ("summary", ("summary_text",)),
    "content": ("content", ("reasoning_text", "text")),
    "text": ("content", ("output_text", "text")),
    "refusal": ("content", ("refusal",)),
}
"""Key of an item that holds a list of parts, and types of the parts, by the kind of text."""


class Item:
    """An output item of a type that has no block of its own, and the base of the others."""

    def __init__(self, kind: str, item_id: str = "", index: int | None = None) -> None:
        self.kind, self.id, self.index = kind, item_id, index
        self.is_done = False
        self.complete: dict[str, Any] | None = None
        """The item as the server completed it; None until then."""
        self.is_announced = False
        self._is_kept = False

    @property
    def ids(self) -> set[str]:
        """Ids by which its events may name it."""
        return {self.id}

    def begin(self, item: dict[str, Any]) -> Iterator[StreamEvent]:
        """Yield the events of an item that the server announces."""
        self.is_announced = True
        yield from ()

    def add(self, kind: str, index: Any, text: str) -> Iterator[StreamEvent]:
        """Yield the events of a piece of text."""
        yield from ()

    def end_part(self, kind: str, index: Any, text: str) -> Iterator[StreamEvent]:
        """Yield the events of what is missing of a complete text."""
        yield from ()

    def pause(self) -> Iterator[StreamEvent]:
        """Yield the events that have to come before those of another item."""
        yield from ()

    def finish(self, item: dict[str, Any]) -> Iterator[StreamEvent]:
        """Yield the events of what is missing of the complete item."""
        self.is_done, self.complete = True, item
        yield from self._keep(item)

    def close(self) -> Iterator[StreamEvent]:
        """Yield the events of an item that the answer's end, or an error, leaves as it is."""
        if not self.is_done:
            self.is_done = True
            name = one_line(self.kind, 100).replace("`", "'")
            yield Notice(f"The server did not finish an item of type `{name}`.")

    def _keep(self, item: dict[str, Any]) -> Iterator[StreamEvent]:
        if not self._is_kept:
            self._is_kept = True
            yield OutputItem(repair_json(item))


class TextItem(Item):
    """An item that consists of texts."""

    kinds: tuple[str, ...] = ()

    def __init__(self, kind: str, item_id: str = "", index: int | None = None) -> None:
        super().__init__(kind, item_id, index)
        self._texts = {kind: SentText() for kind in self.kinds}

    @property
    def has_text(self) -> bool:
        """True once there is any text."""
        return any(self._texts.values())

    @property
    def sent(self) -> str:
        """The text so far."""
        return "".join(map(str, self._texts.values()))

    def add(self, kind: str, index: Any, text: str) -> Iterator[StreamEvent]:
        sent = self._texts[kind]
        part = sent.key(index)
        if text := sent.add(part, text):
            yield from self._say(kind, part, text)

    def end_part(self, kind: str, index: Any, text: str) -> Iterator[StreamEvent]:
        sent = self._texts[kind]
        part = sent.key(index)
        if text := sent.end_part(part, text):
            yield from self._say(kind, part, text)

    def finish(self, item: dict[str, Any]) -> Iterator[StreamEvent]:
        for kind in self.kinds:
            for part, text in self._texts[kind].end(item_texts(item, kind)):
                yield from self._say(kind, part, text)
        self.is_done, self.complete = True, item

    def close(self) -> Iterator[StreamEvent]:
        for kind, sent in self._texts.items():
            if half := sent.held():
                yield from self._say(kind, None, half)
        self.is_done = True

    def _say(self, kind: str, part: Hashable, text: str) -> Iterator[StreamEvent]:
        yield from ()


def item_texts(item: dict[str, Any], kind: str) -> list[str]:
    """Return the texts of a complete item that are of one kind."""
    key, types = _TEXTS[kind]
    parts = item.get(key)
    if isinstance(parts, str):
        return [parts] if types[-1] == "text" or key == "summary" else []
    found = [part for part in objects(parts) if part.get("type") in types]
    return [join_text(part.get("refusal") if kind == "refusal" else part) for part in found]
