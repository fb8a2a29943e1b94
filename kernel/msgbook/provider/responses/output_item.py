"""One output item of a response while it arrives: the base of all types, and calls of functions.

The events of an item come in pieces, and some servers send them twice or leave them out. So an item
may be completed more than once: the first complete text counts (`SentText`), and the item is kept once.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from enum import IntEnum
from typing import Any

from msgbook.events import Notice, OutputItem, StreamEvent
from msgbook.provider.answer_quirks import join_text, repair_json
from msgbook.provider.json_events import UnknownContent, quoted
from msgbook.provider.pieces import RestartedArguments
from msgbook.provider.responses.sent_text import SentText
from msgbook.provider.tool_call_pieces import CallAssembler, is_json, json_text, same_json
from msgbook.text import GrowingText, one_line, repair_surrogates
from msgbook_format.typed import as_list


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

_TEXT_TYPES = frozenset(kind for _, kinds in _TEXTS.values() for kind in kinds)

_MAX_ALIASES = 1000
"""Most further ids of one item: some servers make one for each event."""

_NAMES = frozenset(("id", "item_id", "call_id", "status", "output_index", "sequence_number"))
"""Keys of an item that say where it belongs and not what it is."""


_TOLD = frozenset(
    (
        "code_interpreter_call",
        "compaction",
        "file_search_call",
        "mcp_call",
        "mcp_list_tools",
        "web_search_call",
    )
)
"""Types of items that msgbook has a sentence for, or that say nothing to a reader."""
_UNTOLD = _NAMES | {"type", "encrypted_content", "role"}


_ITEM_KEYS = _UNTOLD | {
    "content",
    "summary",
    "refusal",
    "phase",
    "usage",
    "finish_reason",
    "stop_reason",
}
_PART_KEYS = frozenset(
    ("type", "text", "refusal", "annotations", "logprobs", "status", "id", "reasoning", "thinking")
)
"""Keys of an item of texts, and of its parts, that are read or say nothing."""


class Item:
    """The base of all output items.

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


class OtherItem(Item):
    """An item of a type that has no block of its own. What msgbook has no sentence for is quoted.

    Args:
        unknown: Collects what is quoted.
    """

    def __init__(
        self, kind: str, item_id: str, index: int | None, number: int, unknown: UnknownContent
    ) -> None:
        super().__init__(kind, item_id, index, number)
        self._unknown = unknown
        self._begun: dict[str, Any] = {}

    def begin(self, item: dict[str, Any]) -> Iterator[StreamEvent]:
        self._begun = item
        yield from super().begin(item)

    def finish(self, item: dict[str, Any]) -> Iterator[StreamEvent]:
        if not self.is_done:
            self._quote(item)
        yield from super().finish(item)

    def close(self) -> Iterator[StreamEvent]:
        if not self.is_done:
            self._quote(self._begun)
        yield from super().close()

    def _quote(self, item: dict[str, Any]) -> None:
        if self.kind not in _TOLD:
            said = {key: value for key, value in item.items() if key not in _UNTOLD}
            self._unknown.add(self.kind, said)


class TextItem(Item):
    """An item that consists of texts.

    Args:
        unknown: Collects the parts that are not text.
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
        self._tell_others(item)
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
        self._tell_others(item)
        self.is_done, self.complete = True, item

    def _tell_others(self, item: dict[str, Any]) -> None:
        """Note what keys that nobody knows say to a person."""
        self._unknown.add_spoken(item, _ITEM_KEYS)
        for parts in (item.get("content"), item.get("summary")):
            for part in as_list(parts):
                self.tell_others_of(part)

    def tell_others_of(self, part: Any) -> None:
        """Note what keys of a part that nobody knows say to a person."""
        kind = part.get("type") if isinstance(part, dict) else None
        if isinstance(kind, str) and kind in _TEXT_TYPES:
            self._unknown.add_spoken(part, _PART_KEYS)

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
    if isinstance(parts, str | dict):
        parts = [parts]
    found = []
    for part in as_list(parts):
        if isinstance(part, str) and is_plain:
            found.append(part)
        elif isinstance(part, dict) and part.get("type") in types:
            found.append(join_text(part.get("refusal") if kind == "refusal" else part))
    return found


def _content(item: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in item.items() if key not in _NAMES}


# Output items that are calls of functions.


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
