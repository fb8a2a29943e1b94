"""The content blocks of one answer while they arrive: text, thinking, calls, and what the server did itself.

Servers leave out the start of a block, or its end, or send either twice, so a block grows by whatever comes, and is
completed once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from msgbook.errors import NotACompletionError
from msgbook.events import Citations, Notice, OutputItem, ReasoningDelta, StreamEvent, TextDelta
from msgbook.provider.answer_quirks import CitationList, join_text, repair_json
from msgbook.provider.json_events import UnknownContent, shown_name
from msgbook.provider.pictures import Pictures
from msgbook.provider.pieces import SurrogateJoiner, ThinkSplitter
from msgbook.provider.tool_call_pieces import CallAssembler
from msgbook.text import GrowingText, repair_surrogates, text_digest

MAX_BLOCKS = 10_000
"""Most blocks of one answer; one with many citations has tens."""

_DATA_LIMIT = 32_000_000
"""Most characters of what the blocks of one answer hold until they end, such as signatures."""


class Block:
    """A content block of a type that nobody knows, and the base of the others.

    Args:
        kind: Its type, as the server names it.
        number: Of the block in its answer, from 1 in order of arrival.
    """

    keys: frozenset[str] | None = None
    """Keys of a start that are read; None for all, since the whole block is kept or quoted."""
    strangers: frozenset[str] = frozenset(
        ("text_delta", "citations_delta", "thinking_delta", "signature_delta")
    )
    """Types of pieces that belong to a block of another type, whatever their index."""

    def __init__(self, kind: str, number: int, answer: Answer) -> None:
        self.kind, self.number, self.answer = kind, number, answer
        self.given: dict[str, Any] = {}
        """The block as the server announced it."""
        self.is_done = False

    def begin(self, block: dict[str, Any]) -> Iterator[StreamEvent]:
        """Yield the events of a block that the server announces, perhaps with its content."""
        self.given = {**self.given, **block}
        yield from ()

    def add(self, delta: dict[str, Any]) -> Iterator[StreamEvent]:
        """Yield the events of a piece. One without a value says nothing: gateways keep a connection alive with it."""
        if any(delta[key] for key in delta.keys() - {"type"}):
            self.answer.unknown.add(f"{delta.get('type')} of {self.kind}", delta)
        yield from ()

    def pause(self) -> Iterator[StreamEvent]:
        """Yield what has to come before the events of another block."""
        yield from ()

    def end(self) -> Iterator[StreamEvent]:
        """Yield the events of the end of the block, once."""
        if not self.is_done:
            self.is_done = True
            yield from self._end()

    def _end(self) -> Iterator[StreamEvent]:
        picture = self.answer.pictures.of_part(self.given)
        if picture is not None:
            yield from picture
        else:
            self.answer.unknown.add(self.kind, self.given)


class Answer:
    """What the blocks of one answer share.

    Args:
        new_id: Makes an id for a call that came without a usable one.
        model: The model that makes the signatures.
    """

    def __init__(self, new_id: Callable[[], str], model: str) -> None:
        self.model = model
        self.calls = CallAssembler(new_id, are_told_apart=True)
        self.pictures, self.unknown = Pictures(), UnknownContent()
        self.has_calls = False
        self._held = 0

    def hold(self, value: Any) -> None:
        """Count a value that is held until the end of its block.

        Raises:
            NotACompletionError: The answer holds too much.
        """
        size = len(value) if isinstance(value, str) else len(json.dumps(value, ensure_ascii=False))
        self._held += size
        if self._held > _DATA_LIMIT:
            raise NotACompletionError(
                f"The server sent more than {_DATA_LIMIT:,} characters of data beside its text."
            )


class TextBlock(Block):
    """Text, with citations."""

    keys = frozenset(("text", "citations"))
    strangers = frozenset(("thinking_delta", "signature_delta", "input_json_delta"))

    def __init__(self, kind: str, number: int, answer: Answer) -> None:
        super().__init__(kind, number, answer)
        self._joiner, self._split = SurrogateJoiner(), ThinkSplitter()
        self._citations = CitationList()
        self._has_text = False

    def begin(self, block: dict[str, Any]) -> Iterator[StreamEvent]:
        yield from self._say(join_text(block.get("text")))
        cited = block.get("citations")
        self._citations.add([*map(_with_title, cited)] if isinstance(cited, list) else [])

    def add(self, delta: dict[str, Any]) -> Iterator[StreamEvent]:
        match delta.get("type"):
            case "citations_delta":
                self.answer.hold(delta.get("citation"))
                self._citations.add([_with_title(delta.get("citation"))])
            case _ if delta.get("text") is not None:
                yield from self._say(join_text(delta["text"]))
            case _:
                yield from super().add(delta)

    def pause(self) -> Iterator[StreamEvent]:
        yield from self._said(self._joiner.end())
        yield from self._split.flush()

    def _end(self) -> Iterator[StreamEvent]:
        yield from self.pause()
        if self._has_text and (citations := self._citations.take()):
            yield Citations(citations)

    def _say(self, text: str) -> Iterator[StreamEvent]:
        yield from self._said(self._joiner.feed(text))

    def _said(self, text: str) -> Iterator[StreamEvent]:
        for event in self._split.feed(text):
            self._has_text |= isinstance(event, TextDelta)
            yield event


def _with_title(citation: Any) -> Any:
    """Return a citation of a document under the names of one of a page."""
    if not isinstance(citation, dict) or citation.get("title"):
        return citation
    title = citation.get("document_title") or citation.get("source")
    return {**citation, "title": title} if isinstance(title, str) else citation


class ThinkingBlock(Block):
    """Thinking with its signature, which goes back with it within the turn. Thinking that is hidden has no text.

    The signature holds for this text alone: its digest tells whether it was edited, or a secret taken out of it.
    """

    keys = frozenset(("thinking", "signature"))
    strangers = frozenset(("text_delta", "citations_delta", "input_json_delta"))

    def __init__(self, kind: str, number: int, answer: Answer) -> None:
        super().__init__(kind, number, answer)
        self._joiner = SurrogateJoiner()
        self._text, self._signature = GrowingText(), GrowingText()

    def begin(self, block: dict[str, Any]) -> Iterator[StreamEvent]:
        yield from self._say(self._joiner.feed(join_text(block.get("thinking"))))
        self._sign(block.get("signature"))

    def add(self, delta: dict[str, Any]) -> Iterator[StreamEvent]:
        match delta.get("type"):
            case "signature_delta":
                self.answer.hold(delta.get("signature"))
                self._sign(delta.get("signature"))
            case _ if delta.get("thinking") is not None:
                yield from self._say(self._joiner.feed(join_text(delta["thinking"])))
            case _:
                yield from super().add(delta)

    def _sign(self, signature: Any) -> None:
        if isinstance(signature, str):
            self._signature.add(signature)

    def _end(self) -> Iterator[StreamEvent]:
        yield from self._say(self._joiner.end())
        if signature := repair_surrogates(self._signature.take()):
            item = {"type": "thinking", "signature": signature, "model": self.answer.model}
            yield OutputItem({**item, "digest": text_digest(self._text.take())}, self.number)

    def _say(self, text: str) -> Iterator[StreamEvent]:
        if text:
            self._text.add(text)
            yield ReasoningDelta(text, "", self.number)


class RedactedBlock(Block):
    """Thinking that nobody may read. It goes back within the turn."""

    def __init__(self, kind: str, number: int, answer: Answer) -> None:
        super().__init__(kind, number, answer)
        self._data = GrowingText()

    def begin(self, block: dict[str, Any]) -> Iterator[StreamEvent]:
        self._seal(block.get("data"))
        yield from ()

    def add(self, delta: dict[str, Any]) -> Iterator[StreamEvent]:
        if "data" not in delta:
            yield from super().add(delta)
        self.answer.hold(delta.get("data"))
        self._seal(delta.get("data"))

    def _seal(self, data: Any) -> None:
        if isinstance(data, str):
            self._data.add(data)

    def _end(self) -> Iterator[StreamEvent]:
        if data := self._data.take():
            item = {"type": "redacted_thinking", "data": repair_surrogates(data)}
            yield OutputItem({**item, "model": self.answer.model}, self.number)


class CallBlock(Block):
    """A call of one of our tools. Its arguments come in pieces, or with its start."""

    def __init__(self, kind: str, number: int, answer: Answer) -> None:
        super().__init__(kind, number, answer)
        self._is_open, self._has_pieces = False, False
        self._held = GrowingText()

    def begin(self, block: dict[str, Any]) -> Iterator[StreamEvent]:
        yield from super().begin(block)
        if not self._is_open and self.given.get("name"):
            yield from self._open()

    def add(self, delta: dict[str, Any]) -> Iterator[StreamEvent]:
        piece = delta.get("partial_json")
        if "partial_json" not in delta:
            yield from super().add(delta)
        if not isinstance(piece, str) or not piece:
            return
        if not self._is_open:  # a call needs a name and an id before its arguments
            self.answer.hold(piece)
            self._held.add(piece)
            return
        self._has_pieces = True
        yield self.answer.calls.feed({"index": self.number, "function": {"arguments": piece}})

    def _end(self) -> Iterator[StreamEvent]:
        if not self._is_open:
            yield from self._open()
        whole = self.given.get("input")
        if not self._has_pieces:
            text = json.dumps(whole, ensure_ascii=False) if whole else "{}"
            yield self.answer.calls.feed({"index": self.number, "function": {"arguments": text}})

    def _open(self) -> Iterator[StreamEvent]:
        self._is_open = self.answer.has_calls = True
        function = {"name": self.given.get("name"), "arguments": ""}
        piece = {"index": self.number, "id": self.given.get("id"), "function": function}
        yield self.answer.calls.feed(piece)
        yield from self.add({"partial_json": self._held.take()})


class ServerBlock(Block):
    """What the server did itself: a call of a tool of its own, or the result. It goes back within the turn."""

    def __init__(self, kind: str, number: int, answer: Answer) -> None:
        super().__init__(kind, number, answer)
        self._input = GrowingText()

    def add(self, delta: dict[str, Any]) -> Iterator[StreamEvent]:
        piece = delta.get("partial_json")
        if isinstance(piece, str):
            self.answer.hold(piece)
            self._input.add(piece)
        elif piece is None:
            yield from super().add(delta)

    def _end(self) -> Iterator[StreamEvent]:
        if text := self._input.take():
            try:
                self.given["input"] = json.loads(text)
            except (ValueError, RecursionError):
                name = shown_name(str(self.given.get("name") or self.kind))
                yield Notice(f"The server did not finish its call of `{name}`.")
                return
        yield OutputItem(repair_json({**self.given, "type": self.kind}), self.number)


_KINDS: dict[str, type[Block]] = {
    "text": TextBlock,
    "thinking": ThinkingBlock,
    "redacted_thinking": RedactedBlock,
    "tool_use": CallBlock,
    "server_tool_use": ServerBlock,
    "mcp_tool_use": ServerBlock,
}
"""Classes of blocks by their type. A type that ends in `_tool_result` is what a tool of the server found."""

_OF_DELTAS = {
    "text_delta": "text",
    "citations_delta": "text",
    "thinking_delta": "thinking",
    "signature_delta": "thinking",
    "input_json_delta": "tool_use",
}
"""Type of the block that a piece belongs to, where no start has told it."""


def new_block(kind: str, number: int, answer: Answer) -> Block:
    """Return a block of a type."""
    made = ServerBlock if kind.endswith("_tool_result") else _KINDS.get(kind, Block)
    return made(kind, number, answer)


def kind_of_delta(delta: dict[str, Any]) -> str:
    """Return the type of the block that a piece belongs to; its own if that is not known."""
    kind = delta.get("type")
    named = _OF_DELTAS.get(kind) if isinstance(kind, str) else None
    return named or (kind if isinstance(kind, str) and kind else "content without a type")
