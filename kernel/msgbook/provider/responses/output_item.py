"""One output item of a response while it arrives: the base of all types.

The events of an item come in pieces, and some servers send them twice or leave them out. So an item
may be completed more than once: the first complete text counts (`SentText`), and the item is kept once.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from typing import Any

from msgbook.events import Notice, OutputItem, StreamEvent
from msgbook.provider.answer_quirks import join_text, repair_json
from msgbook.provider.responses.sent_text import SentText
from msgbook.provider.unknown_content import UnknownContent, quoted
from msgbook.text import one_line, repair_surrogates


class Match(IntEnum):
    """Whether a complete item may be one that has begun. The more it says of it, the greater."""

    OTHER = 0
    """It says something else."""
    POSSIBLE = 1
    """It says nothing else, or more."""
    SAME = 2


_TEXTS = {
    "summary": ("summary", ("summary_text",)),
    "content": ("content", ("reasoning_text", "text")),
    "text": ("content", ("output_text", "text")),
    "refusal": ("content", ("refusal",)),
}
"""Key of an item that holds a list of parts, and types of the parts, by the kind of text."""

_MAX_ALIASES = 1000
"""Most further ids of one item: some servers make one for each event."""

_NAMES = frozenset(("id", "item_id", "call_id", "status", "output_index", "sequence_number"))
"""Keys of an item that say where it belongs and not what it is."""


class Item:
    """An output item of a type that has no block of its own, and the base of the others.

    Args:
        number: Of the item in its answer, from 1 in order of arrival.
    """

    def __init__(self, kind: str, item_id: str, index: int | None, number: int) -> None:
        self.kind, self.id, self.index, self.number = kind, item_id, index, number
        self._aliases: set[str] = set()
        self.is_done = False
        self.complete: dict[str, Any] | None = None
        """The item as the server completed it; None until then."""
        self.is_announced = False
        self._is_kept = False

    def is_named(self, name: str) -> bool:
        """Return whether its events may name it so."""
        return name == self.id or name in self._aliases

    def add_alias(self, name: str) -> None:
        """Note an id by which an event has named it although it has another one; of too many, the first are kept."""
        if name and not self.is_named(name) and len(self._aliases) < _MAX_ALIASES:
            self._aliases.add(name)

    def match(self, item: dict[str, Any]) -> Match:
        """Return how far a complete item of the same type says what has come of this one."""
        if self.complete is None:
            return Match.POSSIBLE
        is_same = _content(self.complete) == _content(item)
        return Match.SAME if is_same else Match.OTHER

    def has_said(self, whole: str) -> bool:
        """Return whether a complete text is all of this item's, or of one of its parts."""
        return False

    def begin(self, item: dict[str, Any]) -> Iterator[StreamEvent]:
        """Yield the events of an item that the server announces."""
        self.is_announced = True
        yield from ()

    def begin_part(self, kind: str, index: Any, text: str) -> Iterator[StreamEvent]:
        """Yield the events of a part of a text that the server announces, perhaps with its beginning."""
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
            yield OutputItem(repair_json(item), self.number)


class TextItem(Item):
    """An item that consists of texts.

    Args:
        unknown: Collects the parts that are no text.
    """

    kinds: tuple[str, ...] = ()
    trusted: tuple[str, ...] = ()
    """Kinds of text whose parts need not be announced."""

    def __init__(
        self, kind: str, item_id: str, index: int | None, number: int, unknown: UnknownContent
    ) -> None:
        super().__init__(kind, item_id, index, number)
        self._texts = {kind: SentText(trusts_index=kind in self.trusted) for kind in self.kinds}
        self._unknown = unknown

    @property
    def has_text(self) -> bool:
        """True once there is any text."""
        return any(self._texts.values())

    @property
    def sent(self) -> str:
        """The text so far."""
        return "".join(map(str, self._texts.values()))

    def match(self, item: dict[str, Any]) -> Match:
        is_same = self.has_text
        for kind, sent in self._texts.items():
            said = str(sent).strip() if sent else ""
            whole = repair_surrogates("".join(item_texts(item, kind))).strip() if said else ""
            if not whole.startswith(said):
                return Match.OTHER
            is_same = is_same and whole == said
        return Match.SAME if is_same else Match.POSSIBLE

    def text(self, kind: str) -> str:
        """Return the text of one kind so far."""
        return str(self._texts[kind])

    def settle(self, kind: str) -> None:
        """Note that all text of a kind has come; a complete one adds nothing."""
        self._texts[kind].settle()

    def take_over(self, other: TextItem) -> None:
        """Note that another item was the beginning of this one."""
        for name in (other.id, *other._aliases):
            self.add_alias(name)
        for kind, sent in self._texts.items():
            sent.follow(other.text(kind))

    def has_said(self, whole: str) -> bool:
        return any(sent.has_said(whole) for sent in self._texts.values())

    def begin(self, item: dict[str, Any]) -> Iterator[StreamEvent]:
        self.is_announced = True
        for kind in self.kinds:
            yield from self._announce(kind, None, "".join(item_texts(item, kind)))

    def begin_part(self, kind: str, index: Any, text: str) -> Iterator[StreamEvent]:
        if kind in self._texts:
            self._texts[kind].begin_part(index)
            yield from self._announce(kind, index, text)

    def _announce(self, kind: str, index: Any, text: str) -> Iterator[StreamEvent]:
        if text and (found := self._texts[kind].announce(index, text))[1]:
            yield from self._say(kind, *found)

    def add(self, kind: str, index: Any, text: str) -> Iterator[StreamEvent]:
        part, text = self._texts[kind].add(index, text)
        if text:
            yield from self._say(kind, part, text)

    def end_part(self, kind: str, index: Any, text: str) -> Iterator[StreamEvent]:
        part, text = self._texts[kind].end_part(index, text)
        if text:
            yield from self._say(kind, part, text)

    def finish(self, item: dict[str, Any]) -> Iterator[StreamEvent]:
        for kind in self.kinds:
            for part, text in self._texts[kind].end(item_texts(item, kind)):
                yield from self._say(kind, part, text)
        self.is_done, self.complete = True, item

    def close(self) -> Iterator[StreamEvent]:
        yield from self._held()
        for kind, sent in self._texts.items():
            if half := sent.end_half():
                yield from self._say(kind, None, half)
            if differing := sent.take_differing():
                words = "The server's complete text is not what it sent in pieces, which is shown. It is: "
                yield Notice(words + quoted(differing), "warning")
        self.is_done = True

    def _held(self) -> Iterator[StreamEvent]:
        for kind, sent in self._texts.items():
            for part, text in sent.held():
                yield from self._say(kind, part, text)

    def _say(self, kind: str, part: int | None, text: str) -> Iterator[StreamEvent]:
        yield from ()


def item_texts(item: dict[str, Any], kind: str) -> list[str]:
    """Return the texts of a complete item that are of one kind."""
    key, types = _TEXTS[kind]
    parts = item.get(key)
    is_plain = types[-1] == "text" or key == "summary"
    if isinstance(parts, str):
        parts = [parts]
    found = []
    for part in parts if isinstance(parts, list) else ():
        if isinstance(part, str) and is_plain:
            found.append(part)
        elif isinstance(part, dict) and part.get("type") in types:
            found.append(join_text(part.get("refusal") if kind == "refusal" else part))
    return found


def _content(item: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in item.items() if key not in _NAMES}
