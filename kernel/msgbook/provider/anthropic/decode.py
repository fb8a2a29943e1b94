"""One streamed answer of the Messages API, without I/O: bytes of the body in, stream events out.

Servers differ in what they send: this assumes no order of events, no start and no end of a block, and no end of the
answer. tests/provider/anthropic/test_decode*.py have a case for each difference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, cast

from msgbook.errors import NotACompletionError, OtherApiError
from msgbook.events import ModelFinished, Notice, StreamEvent
from msgbook.provider.answer_quirks import find_model, find_usage, plain_finish_reason
from msgbook.provider.anthropic.blocks import MAX_BLOCKS, Answer, Block, kind_of_delta, new_block
from msgbook.provider.error_quirks import ReportedError, stated_error
from msgbook.provider.json_events import (
    NO_EVENT,
    JSONEvent,
    JSONEvents,
    describe_other_body,
    parse_answer,
    quoted,
)
from msgbook.provider.unknown_events import UnknownEvents
from msgbook_format.turn import Usage
from msgbook_format.typed import as_dicts

_REFUSAL = "refusal"
_PAUSE = "pause_turn"

_OWN_EVENTS = frozenset(
    (
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    )
)

_TEXTS = {"text_delta": "text", "thinking_delta": "thinking"}
"""Key of the text in a piece, by the piece's type."""
_EVENT_KEYS = frozenset(
    ("type", "index", "delta", "content_block", "message", "usage", "error", "context_management")
)
_MESSAGE_KEYS = frozenset(
    (
        "id",
        "type",
        "role",
        "model",
        "content",
        "stop_reason",
        "stop_sequence",
        "stop_details",
        "usage",
        "container",
    )
)
_DELTA_KEYS = frozenset(("text", "thinking", "signature", "citation", "partial_json", "data"))
"""Keys of an event, of a message and its end, and of a piece, that are read or say nothing."""

_ADDED = ("cache_creation_input_tokens", "cache_read_input_tokens")
"""Counts of input tokens that `input_tokens` does not contain."""
_MOST_TOKENS = 10**12
"""Most tokens of an answer that are believed, as for the other APIs."""
_MOST_COUNTS, _COUNT_LENGTH = 40, 100
"""Most keys of one object in a usage, and most characters of a key or a value, that are looked at."""


class MessageDecoder:
    """Decodes the body of one answer.

    Args:
        new_id: Makes an id for a tool call that came without one.
        model: The model that was asked; by default the one that answers counts as such.
    """

    def __init__(self, new_id: Callable[[], str], model: str = "") -> None:
        self._events = JSONEvents()
        self._answer = Answer(new_id, model)
        self._blocks: dict[Any, Block] = {}
        """The blocks so far, the latest of each index."""
        self._count = 0
        self._current: Block | None = None
        self._run: list[str] = []
        """Pieces of the current block's text that have not been added."""
        self._run_type = ""
        self._raw_usage: dict[str, Any] = {}
        self.usage: Usage | None = None
        self._stop_reason: str | None = None
        self._refusal = ""
        self.model: str | None = None
        self._unknown = UnknownEvents()
        self._is_begun = False

    @property
    def done(self) -> bool:
        """True once the answer has ended; what follows is ignored."""
        return self._events.done

    @property
    def has_ended(self) -> bool:
        """True once the server has marked the end of the answer."""
        return self._events.done or self._stop_reason is not None

    def feed(self, chunk: bytes) -> Iterator[StreamEvent]:
        """Yield the events of a piece of the body.

        Raises:
            ProviderError: The server reports an error in the stream, answers over another API, or sends a line that
                never ends.
        """
        yield from self._read(self._events.feed(chunk))

    def feed_rest(self, chunk: bytes) -> None:
        """Note the usage in what follows an error."""
        self._note_rest(self._events.feed(chunk))

    def end(self) -> Iterator[StreamEvent]:
        """Yield the events of the end of the body, `ModelFinished` last.

        Raises:
            ProviderError: The body was not an answer of this API.
        """
        yield from self._read(self._events.end())
        strange = self._events.strange
        if not self._is_begun and (strange or not self.done):
            yield from self._plain_body(self._events.other or strange)
        else:
            yield from self._other_lines()
        yield from self.flush()
        if error := self._events.error:
            raise ReportedError(error)
        self._note_after()
        reason = self._stop_reason
        if self.has_ended and reason is None and self._answer.has_calls:
            reason = "tool_calls"
        # In a stream that was cut off, the last event does not count as lost: the turn says "cut" anyway.
        lost = self._events.unreadable if self.has_ended else 0
        yield ModelFinished(reason, self.has_ended, self.usage, lost, self.model)

    def flush(self) -> Iterator[StreamEvent]:
        """Yield the text that is held back, before an error or the end, and notices about the rest."""
        yield from self._joined()
        for block in self._blocks.values():
            yield from block.pause()
        if self.has_ended:
            for block in self._blocks.values():
                yield from block.end()
        yield from self._answer.calls.end()
        if self._refusal:
            words, self._refusal = self._refusal, ""
            yield Notice(f"The provider refused to answer: {quoted(words)}", "warning")
        yield from self._answer.pictures.take()
        yield from self._answer.unknown.take()
        yield from self._unknown.take()

    def _read(self, events: Iterator[JSONEvent]) -> Iterator[StreamEvent]:
        for event, data in events:
            if self._goes_on(data):
                continue
            yield from self._joined()
            try:
                yield from self._event(data, event.event)
            except ReportedError:
                self._note_rest(events)
                raise
        yield from self._joined()

    def _goes_on(self, event: dict[str, Any]) -> bool:
        """Keep a piece of the current block's text; return whether the event is one. Nearly all are, of a few letters each."""
        delta = event.get("delta")
        if type(delta) is not dict or event.get("type") != "content_block_delta":
            return False
        kind: Any = delta.get("type")
        piece = delta.get(_TEXTS.get(kind, "")) if type(kind) is str else None
        block = self._blocks.get(_index(event))
        if block is None or block is not self._current or type(piece) is not str:
            return False
        if kind in block.strangers or len(delta) > 2 or len(event) > 3:
            return False
        self._run.append(piece)
        self._run_type = kind
        return True

    def _joined(self) -> Iterator[StreamEvent]:
        """Yield the events of the pieces that were kept."""
        if self._run and self._current is not None:
            text = "".join(self._run)
            self._run.clear()
            yield from self._current.add({"type": self._run_type, _TEXTS[self._run_type]: text})

    def _note_rest(self, events: Iterator[JSONEvent]) -> None:
        for _, data in events:
            self._note(data)
        self._note_after()

    def _note_after(self) -> None:
        for data in self._events.after:
            self._note(data)

    def _event(self, event: dict[str, Any], name: str) -> Iterator[StreamEvent]:
        kind = event.get("type")
        kind = kind if isinstance(kind, str) and kind else name
        if kind == "content_block_delta":
            self._tell_others(event, _EVENT_KEYS)
            yield from self._delta(event)
            return
        if kind not in _OWN_EVENTS:
            yield from self._other_event(event, kind)
            return
        self._is_begun = True
        self._note(event)
        self._tell_others(event, _EVENT_KEYS)
        match kind:
            case "message_start":
                self._tell_others(event.get("message"), _MESSAGE_KEYS)
                yield from self._content(event.get("message"))
            case "content_block_start":
                yield from self._start(event)
            case "content_block_stop":
                yield from self._stop(event.get("index"))
            case "message_delta":
                self._tell_others(event.get("delta"), _MESSAGE_KEYS)
                self._end_of(event.get("delta"))
            case "message_stop":
                self._events.done = True

    def _other_event(self, event: dict[str, Any], kind: str) -> Iterator[StreamEvent]:
        error = event.get("error") if kind == "error" else None
        is_bare = "choices" not in event and not self.has_ended
        error = error or stated_error(event, is_bare=is_bare)
        if error or kind == "error":
            self._note(event)
            yield from self.flush()
            raise ReportedError(error or event)
        if "choices" in event or kind.startswith("response."):
            api = "a chat completion" if "choices" in event else "an answer of the Responses API"
            raise OtherApiError(
                f"Expected an answer of the Messages API, but the server sent {api}."
            )
        if kind == "message" and isinstance(event.get("content"), list):
            self._is_begun = True
            self._note(event)
            self._tell_others(event, _MESSAGE_KEYS)
            yield from self._content(event)
            self._end_of(event)
            self._events.done = True
            return
        self._note(event)
        self._unknown.count(kind, event)

    def _tell_others(self, values: Any, known: frozenset[str]) -> None:
        """Note what keys that nobody knows say to a person."""
        if isinstance(values, dict):
            self._answer.unknown.add_spoken(values, known)

    def _content(self, message: Any) -> Iterator[StreamEvent]:
        """Yield the events of blocks that come whole."""
        content = message.get("content") if isinstance(message, dict) else None
        for place, given in enumerate(content if isinstance(content, list) else [content]):
            block = {"type": "text", "text": given} if isinstance(given, str) else given
            if block is None:
                continue
            yield from self._start({"index": ("whole", place), "content_block": block})
            yield from self._stop(("whole", place))

    def _start(self, event: dict[str, Any]) -> Iterator[StreamEvent]:
        given, index = event.get("content_block"), _index(event)
        if not isinstance(given, dict):
            self._answer.unknown.add("content_block", given)
            return
        kind = given.get("type")
        kind = kind if isinstance(kind, str) and kind else "content without a type"
        known = self._blocks.get(index)
        if known is not None and self._is_again(known, given, kind):
            if not known.given and not known.is_done:
                self._answer.hold(given)
                yield from known.begin(given)
            return
        self._answer.hold(given)
        block = self._new(index, kind)
        yield from self._turn_to(block)
        if block.keys is not None:
            self._tell_others(given, block.keys | {"type"})
        yield from block.begin(given)
        block.given = block.given or given

    @staticmethod
    def _is_again(known: Block, given: dict[str, Any], kind: str) -> bool:
        """Return whether a start is that of a block which has begun: it was sent twice, or comes late."""
        if known.kind != kind or known.given.get("id") not in (None, given.get("id")):
            return False
        return not known.is_done or known.given == given

    def _new(self, index: Any, kind: str) -> Block:
        if self._count == MAX_BLOCKS:
            raise NotACompletionError(
                f"The server sent more than {MAX_BLOCKS:,} blocks of content."
            )
        self._count += 1
        if not self._answer.model:
            self._answer.model = self.model or ""
        block = new_block(kind, self._count, self._answer)
        if before := self._blocks.pop(index, None):
            self._blocks[("before", self._count)] = before
        self._blocks[index] = block
        return block

    def _delta(self, event: dict[str, Any]) -> Iterator[StreamEvent]:
        self._is_begun = True
        delta = event.get("delta")
        if not isinstance(delta, dict):
            self._answer.unknown.add("delta", delta)
            return
        index, kind = _index(event), delta.get("type")
        block = self._blocks.get(index)
        if block is not None and type(kind) is str and kind in block.strangers:
            index = (index, kind_of_delta(delta))
            block = self._blocks.get(index)
        if block is None:
            block = self._new(index, kind_of_delta(delta))
        if block is not self._current:
            yield from self._turn_to(block)
        if not _DELTA_KEYS.isdisjoint(delta):
            self._tell_others(delta, _DELTA_KEYS | {"type"})
        yield from block.add(delta)

    def _stop(self, index: Any) -> Iterator[StreamEvent]:
        block = self._blocks.get(_plain_index(index))
        if block is not None:
            yield from self._turn_to(block)
            yield from block.end()

    def _turn_to(self, block: Block) -> Iterator[StreamEvent]:
        """Yield what comes before the events of a block that is not the one of the last event."""
        last, self._current = self._current, block
        if last is not None and last is not block:
            yield from last.pause()

    def _end_of(self, delta: Any) -> None:
        if not isinstance(delta, dict):
            return
        reason = delta.get("stop_reason")
        if not reason:
            return
        if reason == _REFUSAL:
            self._note_refusal(delta.get("stop_details"))
        plain = plain_finish_reason(reason)
        self._stop_reason = {_REFUSAL: "content_filter"}.get(plain or "", plain)

    def _note_refusal(self, details: Any) -> None:
        given = details if isinstance(details, dict) else {}
        words = (given.get("category"), given.get("explanation"))
        self._refusal = ": ".join(word for word in words if isinstance(word, str) and word)

    def _note(self, event: dict[str, Any]) -> None:
        """Note usage and model, of which each event states all so far."""
        message = event.get("message")
        for place in as_dicts([message, event]):
            usage = place.get("usage")
            if isinstance(usage, dict):
                known = _numbers(usage)
                self._raw_usage = dict(islice((self._raw_usage | known).items(), _MOST_COUNTS))
                self.usage = _usage(self._raw_usage) or None
            self.model = find_model(place) or self.model

    def _other_lines(self) -> Iterator[StreamEvent]:
        """Yield the events of lines among the events that are none."""
        others, words = self._events.others()
        for data in others:
            yield from self._event(data, "")
        self._answer.unknown.add(NO_EVENT, words)

    def _plain_body(self, body: str) -> Iterator[StreamEvent]:
        """Yield the events of a body that was not streamed although it was asked to be."""
        try:
            answer = parse_answer(body)
        except ValueError:
            answer = None
            lines = self._events.lines()
            if any(line.get("type") in _OWN_EVENTS for line in lines):
                for line in lines:
                    if not self.done:
                        yield from self._event(line, "")
                return
        if isinstance(answer, dict):
            yield from self._event(answer, "")
            if self._is_begun:
                return
        if body.strip():
            raise NotACompletionError(describe_other_body("a message", body))


def _index(event: dict[str, Any]) -> Any:
    return _plain_index(event.get("index"))


def _plain_index(index: Any) -> Any:
    # Only these can be looked up.
    return index if type(index) in (int, str, tuple) else None


def _usage(raw: dict[str, Any]) -> Usage:
    """Return the usage: what was read from the cache, and what was written to it, is input, too."""
    found = cast("dict[str, int]", find_usage({"usage": raw}))
    if "input_tokens" in raw and "input_tokens" in found:
        found["input_tokens"] += sum(_count(raw, key) for key in _ADDED)
    if written := _count(raw, "cache_creation_input_tokens"):
        found["cache_write_tokens"] = written
    thought = _count(_object(raw, "output_tokens_details"), "thinking_tokens")
    if thought:
        found["reasoning_tokens"] = thought
    if searches := _count(_object(raw, "server_tool_use"), "web_search_requests"):
        found["web_searches"] = searches
    return cast("Usage", found)


def _numbers(value: Any, depth: int = 3) -> Any:
    """Return the counts in a usage, which may stand in objects, and no more of it than counts need; None for none."""
    if isinstance(value, list) and depth:
        return [_numbers(one, depth - 1) for one in value[:_MOST_COUNTS]]
    if isinstance(value, dict) and depth:
        named = [(key, one) for key, one in value.items() if len(key) <= _COUNT_LENGTH]
        kept = ((key, _numbers(one, depth - 1)) for key, one in named[:_MOST_COUNTS])
        return {key: one for key, one in kept if one is not None}
    if isinstance(value, str) and len(value) <= _COUNT_LENGTH:
        return value
    return value if isinstance(value, int | float) else None


def _object(raw: dict[str, Any], key: str) -> dict[str, Any]:
    value = raw.get(key)
    return value if isinstance(value, dict) else {}


def _count(raw: dict[str, Any], key: str) -> int:
    value = raw.get(key)
    return value if type(value) is int and 0 < value <= _MOST_TOKENS else 0
