"""Output items that are reasoning, messages or pictures."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from msgbook.events import Citations, ReasoningDelta, StreamEvent, TextDelta
from msgbook.provider.answer_quirks import CitationList, join_text, repair_json
from msgbook.provider.json_events import UnknownContent
from msgbook.provider.pictures import Pictures
from msgbook.provider.pieces import ThinkSplitter
from msgbook.provider.responses.output_item import Item, TextItem, item_texts
from msgbook_format.typed import as_dicts

# The parts of a summary that no server announces: their index begins a part, or counts the deltas. Pure.


Piece = tuple[Any, str]
"""A delta with the index that it belongs to."""

_SENTENCE_END = re.compile(r"[.!?:;…。!?:;*`)\]\"”’」』]\s*$")


class SummaryParts:
    """Gives deltas the index of their part.

    OpenAI's index names a part, and vLLM's is another one for each delta. As long as each index has brought one delta, both
    look alike: the last delta waits until the next one, a complete text or what it says tells them apart.
    """

    def __init__(self) -> None:
        self._are_named = False
        """True once indexes name parts."""
        self._are_counted = False
        """True once they count deltas."""
        self._index: Any = None
        self._said = ""
        self._waiting: Piece | None = None

    def announce(self) -> list[Piece]:
        """Note that the server announces parts; return what was waiting."""
        waiting = self.release([])
        self._are_named = not self._are_counted
        return waiting

    def feed(self, index: Any, text: str) -> list[Piece]:
        """Return the deltas that can be passed on."""
        if self._are_named or type(index) is not int:
            return [*self.release([]), (index, text)]
        if self._index is None:
            self._index, self._said = index, text
            return [(index, text)]
        if not self._are_counted and index == (self._waiting or (self._index,))[0]:
            self._are_named = True
            return [*self._take(), (index, text)]
        before = self.release([])
        if self._are_counted:
            return [*before, (self._index, text)]
        self._waiting = index, text
        return before

    def release(self, wholes: list[str]) -> list[Piece]:
        """Return the delta that waits, as something else follows.

        Args:
            wholes: The complete text of one part, or of all; empty if they have not come.
        """
        pieces = self._take()
        for index, text in pieces:
            both = self._said + text
            if any(wholes):
                self._are_counted = any(whole.startswith(both) for whole in wholes)
            else:
                is_begun = _SENTENCE_END.search(self._said) and not text[:1].isspace()
                self._are_counted = not is_begun
            if self._are_counted:
                return [(self._index, text)]
            self._index, self._said = index, text
        return pieces

    def end_part(self, text: str) -> list[Piece]:
        """Return the delta that waits, as a part has ended: the next index is that of another one."""
        waiting = self.release([text])
        if not self._are_counted:
            self._index = None
        return waiting

    def _take(self) -> list[Piece]:
        waiting, self._waiting = self._waiting, None
        return [waiting] if waiting else []


_PARTS = ("output_text", "text", "refusal", "summary_text", "reasoning_text")
"""Types of the parts of an item that are text."""
_THOUGHTS = ("reasoning_text", "summary_text", "thinking")
"""Types of the parts of a message that are reasoning."""


class ReasoningItem(TextItem):
    """Reasoning: a summary or the text itself; of both, the block shows what comes first."""

    kinds = ("content", "summary")
    trusted = ("summary",)

    def __init__(
        self, kind: str, item_id: str, index: int | None, number: int, unknown: UnknownContent
    ) -> None:
        super().__init__(kind, item_id, index, number, unknown)
        self._shown = ""
        self._part: int | None = None
        self._has_block = False
        self._parts = SummaryParts()

    def begin_part(self, kind: str, index: Any, text: str) -> Iterator[StreamEvent]:
        if kind == "summary":
            yield from self._summary(self._parts.announce())
        yield from super().begin_part(kind, index, text)

    def add(self, kind: str, index: Any, text: str) -> Iterator[StreamEvent]:
        if kind == "summary":
            yield from self._summary(self._parts.feed(index, text))
        else:
            yield from super().add(kind, index, text)

    def end_part(self, kind: str, index: Any, text: str) -> Iterator[StreamEvent]:
        if kind == "summary":
            yield from self._summary(self._parts.end_part(text))
        yield from super().end_part(kind, index, text)

    def _summary(self, pieces: list[Piece]) -> Iterator[StreamEvent]:
        for piece in pieces:
            yield from super().add("summary", *piece)

    def _held(self) -> Iterator[StreamEvent]:
        yield from self._summary(self._parts.release([]))
        yield from super()._held()

    def pause(self) -> Iterator[StreamEvent]:
        """Yield an empty delta if the reasoning is hidden so far: its place is before what follows."""
        yield from self._held()
        if not self._has_block and not self.is_done:
            self._has_block = True
            yield ReasoningDelta("", "summary", self.number)

    def _announce(self, kind: str, index: Any, text: str) -> Iterator[StreamEvent]:
        # An announced summary would hide the reasoning itself.
        yield from ()

    def finish(self, item: dict[str, Any]) -> Iterator[StreamEvent]:
        yield from self._summary(self._parts.release(item_texts(item, "summary")))
        yield from super().finish(item)
        for part in as_dicts(item.get("summary")) + as_dicts(item.get("content")):
            if part.get("type") not in _PARTS:
                self._unknown.add(f"{part.get('type')} of reasoning", part)
        if item.get("status") not in ("in_progress", "incomplete"):
            said = ("status", self._shown or "summary")
            yield from self._keep({k: v for k, v in item.items() if v and k not in said})

    def _say(self, kind: str, part: int | None, text: str) -> Iterator[StreamEvent]:
        if kind != (self._shown or kind):
            return
        gap = "\n\n" if self._shown and part not in (self._part, None) else ""
        self._shown, self._has_block = kind, True
        self._part = self._part if part is None else part
        yield ReasoningDelta(gap + text, kind, self.number)


class MessageItem(TextItem):
    """Text and refusals, with citations and pictures.

    Args:
        pictures: Those of the answer.
    """

    kinds = ("text", "refusal")

    def __init__(
        self,
        kind: str,
        item_id: str,
        index: int | None,
        number: int,
        unknown: UnknownContent,
        pictures: Pictures,
    ) -> None:
        super().__init__(kind, item_id, index, number, unknown)
        self._pictures = pictures
        self._content = ThinkSplitter()
        self._citations = CitationList()
        self._thought: set[str] = set()

    def cite(self, citations: Any) -> None:
        """Add citations of the text; they are given when the text has ended."""
        self._citations.add(citations)

    def pause(self) -> Iterator[StreamEvent]:
        yield from self._held()
        yield from self._content.flush()

    def finish(self, item: dict[str, Any]) -> Iterator[StreamEvent]:
        yield from self._thoughts(item)
        yield from super().finish(item)
        for part in as_dicts(item.get("content")):
            self.cite(part.get("annotations"))
        yield from self._cited()
        for part in as_dicts(item.get("content")):
            if part.get("type") not in (*_PARTS, *_THOUGHTS):
                yield from self.add_other_part(part)
        said = ("type", "id", "status", "role", "content")
        if further := {key: v for key, v in item.items() if v is not None and key not in said}:
            yield from self.end_block(further)

    def _thoughts(self, item: dict[str, Any]) -> Iterator[StreamEvent]:
        """Yield reasoning that stands in the message, once; after the text, it is told in a notice."""
        parts = [p for p in as_dicts(item.get("content")) if p.get("type") in _THOUGHTS]
        thoughts = [text for part in parts if (text := join_text(part)) not in self._thought]
        self._thought.update(thoughts)
        for text in filter(None, thoughts):
            if self.has_text:
                self._unknown.add("reasoning of a message", text)
            else:
                yield ReasoningDelta(text, "")

    def add_other_part(self, part: dict[str, Any]) -> Iterator[StreamEvent]:
        """Yield the events of a part that is not text: a picture, or a notice at the end of the answer."""
        picture = self._pictures.of_part(part)
        if picture is not None:
            yield from self.pause()
            yield from picture
        elif isinstance(part.get("type"), str):
            self._unknown.add(f"{part['type']} of a message", part)

    def end_block(self, further: dict[str, Any]) -> Iterator[StreamEvent]:
        """Yield what ends the block of this message, if it has one, once.

        Args:
            further: Keys of the message that the server wants back.
        """
        if self.has_text:
            yield from self._keep({"type": "message", **further})

    def close(self) -> Iterator[StreamEvent]:
        yield from super().close()
        yield from self._cited()

    def _cited(self) -> Iterator[StreamEvent]:
        yield from self.pause()
        if self.has_text and (citations := self._citations.take()):
            yield Citations(citations)

    def _say(self, kind: str, part: int | None, text: str) -> Iterator[StreamEvent]:
        if kind == "text":
            yield from self._content.feed(text)
        else:
            yield from self._content.flush()
            yield TextDelta(text, refusal=True)


# Output items that are pictures, made by a tool of the server.


class PictureItem(Item):
    """A call of the server's image generation. Its `result` is the picture.

    Args:
        pictures: Those of the answer.
    """

    def __init__(
        self, kind: str, item_id: str, index: int | None, number: int, pictures: Pictures
    ) -> None:
        super().__init__(kind, item_id, index, number)
        self._pictures = pictures

    def finish(self, item: dict[str, Any]) -> Iterator[StreamEvent]:
        self.is_done, self.complete = True, item
        kept = repair_json({key: value for key, value in item.items() if key != "result"})
        events = self._pictures.of_value({"result": item.get("result")}, kept)
        yield from self._keep(kept) if events is None else events
