"""Output items that consist of texts: reasoning and messages."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

from msgbook.events import Citations, ReasoningDelta, StreamEvent, TextDelta
from msgbook.provider.answer_quirks import objects
from msgbook.provider.citations import CitationList
from msgbook.provider.pieces import ThinkSplitter
from msgbook.provider.responses.output_item import TextItem


class ReasoningItem(TextItem):
    """Reasoning: a summary or the text itself; of both, the block shows what comes first."""

    kinds = ("content", "summary")

    def __init__(self, kind: str, item_id: str = "", index: int | None = None) -> None:
        super().__init__(kind, item_id, index)
        self._shown = ""
        self._part: Hashable = None
        self._has_block = False

    def pause(self) -> Iterator[StreamEvent]:
        """Yield an empty delta if the reasoning is hidden so far: its place is before what follows."""
        if not self._has_block and not self.is_done:
            self._has_block = True
            yield ReasoningDelta("", "summary")

    def finish(self, item: dict[str, Any]) -> Iterator[StreamEvent]:
        yield from super().finish(item)
        if item.get("status") not in ("in_progress", "incomplete"):
            said = ("status", self._shown or "summary")
            yield from self._keep({k: v for k, v in item.items() if v and k not in said})

    def _say(self, kind: str, part: Hashable, text: str) -> Iterator[StreamEvent]:
        if kind != (self._shown or kind):
            return
        gap = "\n\n" if self._shown and part not in (self._part, None) else ""
        self._shown, self._has_block = kind, True
        self._part = self._part if part is None else part
        yield ReasoningDelta(gap + text, kind)


class MessageItem(TextItem):
    """Text and refusals, with citations."""

    kinds = ("text", "refusal")

    def __init__(self, kind: str, item_id: str = "", index: int | None = None) -> None:
        super().__init__(kind, item_id, index)
        self._content = ThinkSplitter()
        self._citations = CitationList()

    def cite(self, citations: Any) -> None:
        """Add citations of the text; they are given when the text has ended."""
        self._citations.add(citations)

    def pause(self) -> Iterator[StreamEvent]:
        yield from self._content.flush()

    def finish(self, item: dict[str, Any]) -> Iterator[StreamEvent]:
        yield from super().finish(item)
        for part in objects(item.get("content")):
            self.cite(part.get("annotations"))
        yield from self._cited()
        said = ("type", "id", "status", "role", "content")
        if further := {key: v for key, v in item.items() if v is not None and key not in said}:
            yield from self.end_block(further)

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

    def _say(self, kind: str, part: Hashable, text: str) -> Iterator[StreamEvent]:
        if kind == "text":
            yield from self._content.feed(text)
        else:
            yield from self.pause()
            yield TextDelta(text, refusal=True)
