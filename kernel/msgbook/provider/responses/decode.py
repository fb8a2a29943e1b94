"""One streamed response of the Responses API, without I/O: bytes of the body in, stream events out.

Servers differ in what they send: this assumes no order of events, no id, no index and no end of an item.
tests/provider/responses/test_decode*.py have a case for each difference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, cast

from msgbook.errors import NotACompletionError, OtherApiError
from msgbook.events import ModelFinished, Notice, StreamEvent
from msgbook.provider.answer_quirks import (
    FINISH_KEYS,
    add_usage,
    find_model,
    find_usage,
    join_text,
    plain_finish_reason,
)
from msgbook.provider.error_quirks import ReportedError, stated_error
from msgbook.provider.json_events import (
    NO_EVENT,
    WORDY,
    JSONEvent,
    JSONEvents,
    UnknownContent,
    describe_other_body,
    parse_answer,
)
from msgbook.provider.pictures import Pictures
from msgbook.provider.responses.output_item import CallItem, Item, TextItem
from msgbook.provider.responses.output_items import MAX_ITEMS, OutputItems, with_type
from msgbook.provider.responses.stream_quirks import RepeatedEvents
from msgbook.provider.responses.text_items import MessageItem
from msgbook.provider.tool_call_pieces import json_text
from msgbook.provider.unknown_events import SILENT, UnknownEvents
from msgbook_format.turn import PROVIDER_REASONS, Usage
from msgbook_format.typed import as_items


class _Piece(NamedTuple):
    """Places in an event that brings text."""

    item: str
    """Type of the item."""
    text: str
    """Kind of the text."""
    key: str
    """Key of the event that holds it."""
    part: str
    is_complete: bool


def _pieces(name: str, item: str, kind: str, part: str, key: str = "text") -> dict[str, _Piece]:
    """Return the two events of a kind of text: a piece, and the complete text."""
    return {
        f"response.{name}.delta": _Piece(item, kind, "delta", part, False),
        f"response.{name}.done": _Piece(item, kind, key, part, True),
    }


_PIECES = {
    **_pieces("output_text", "message", "text", "content_index"),
    **_pieces("refusal", "message", "refusal", "content_index", "refusal"),
    **_pieces("reasoning_summary_text", "reasoning", "summary", "summary_index"),
    **_pieces("reasoning_summary", "reasoning", "summary", "summary_index"),  # before 2025-07
    **_pieces("reasoning_text", "reasoning", "content", "content_index"),
    **_pieces("reasoning", "reasoning", "content", "content_index"),  # before 2025-07
    **_pieces("function_call_arguments", "function_call", "arguments", "", "arguments"),
}

_CITATIONS = ("response.output_text.annotation.added", "response.output_text_annotation.added")

_PIECE_KEYS = frozenset(
    (
        "type",
        "sequence_number",
        "item_id",
        "output_index",
        "content_index",
        "summary_index",
        "delta",
        "text",
        "refusal",
        "arguments",
        "name",
        "call_id",
        "logprobs",
        "obfuscation",
        "annotations",
        "id",
        "event_id",
        "response_id",
        "status",
    )
)
"""Keys of the events that bring text."""
_EVENT_KEYS = _PIECE_KEYS | {"response", "item", "part", "error", "usage", "code", "param"}
"""Keys of the other events that are read."""

_TEXT_KEYS = ("delta", "text", "refusal", "arguments")
"""Keys that may hold the text instead of the one that should."""

_TEXT_PARTS = ("output_text", "text")
"""Types of parts of a message that stand among the items of a few responses."""

_PARTS = {
    "response.content_part": "content",
    "response.reasoning_part": "content",
    "response.reasoning_summary_part": "summary",
}
"""Key of an item whose parts an event is about, by the beginning of the event's type."""

_RESPONSE_KEYS = frozenset(("output", "text", "messages", "response"))
"""Keys of a response that are read, or repeat the request."""

_ENDS = {
    "response.completed": "completed",
    "response.done": "completed",
    "response.incomplete": "incomplete",
    "response.failed": "failed",
    "response.cancelled": "cancelled",
}
"""Status of the response by the event that ends it; the status in the response wins."""


class ResponseDecoder:
    """Decodes the body of one response.

    Args:
        new_id: Makes an id for a tool call that came without one.
    """

    def __init__(self, new_id: Callable[[], str]) -> None:
        self._events = JSONEvents()
        self._pictures, self._unknown_content = Pictures(), UnknownContent()
        self._items = OutputItems(new_id, self._pictures, self._unknown_content)
        self._current: Item | None = None
        self._found: dict[object, Item] = {}
        """Items by what names them in pieces, until an item is announced or completed."""
        self._finish_reason: str | None = None
        self._usage: dict[str, int] = {}
        self.model: str | None = None
        self._repeated = RepeatedEvents()
        self._unknown = UnknownEvents()
        self._answered = False

    @property
    def done(self) -> bool:
        """True once the response has ended; what follows is ignored."""
        return self._events.done

    @property
    def has_ended(self) -> bool:
        """True once the server has marked the end of the answer."""
        return self._events.done

    def feed(self, chunk: bytes) -> Iterator[StreamEvent]:
        """Yield the events of a piece of the body.

        Raises:
            ProviderError: The server reports an error in the stream, answers over the other API, or
                sends a line that never ends.
        """
        yield from self._read(self._events.feed(chunk))

    def end(self) -> Iterator[StreamEvent]:
        """Yield the events of the end of the body, `ModelFinished` last.

        Raises:
            ProviderError: The body was not a response.
        """
        yield from self._read(self._events.end())
        strange = self._events.strange
        if not self._answered and (strange or not self.done):
            yield from self._plain_body(self._events.other or strange)
        else:
            yield from self._other_lines()
        yield from self.flush()
        if error := self._events.error:
            raise ReportedError(error)
        self._note_after()
        # In a stream that was cut off, the last event does not count as lost: the turn says "cut" anyway.
        lost = self._events.unreadable if self.done else 0
        yield ModelFinished(self._finish_reason, self.done, self.usage, lost, self.model)

    @property
    def usage(self) -> Usage | None:
        """Usage as far as the server has reported it."""
        return cast("Usage", dict(self._usage)) if self._usage else None

    def flush(self) -> Iterator[StreamEvent]:
        """Yield the text that is held back, before an error or the end, and notices about the rest."""
        for item in self._items:
            yield from item.close()
        yield from self._items.end_calls()
        yield from self._pictures.take()
        yield from self._unknown_content.take()
        yield from self._unknown.take()

    def _other_lines(self) -> Iterator[StreamEvent]:
        """Yield the events of lines among the events that are none."""
        objects, words = self._events.others()
        for data in objects:
            yield from self._event(data, "")
        self._unknown_content.add(NO_EVENT, words)

    def _read(self, events: Iterator[JSONEvent]) -> Iterator[StreamEvent]:
        for event, data in events:
            if not self._repeated.is_repeat(data, event.data):
                try:
                    yield from self._event(data, event.event)
                except ReportedError:
                    self._note_rest(events)
                    raise

    def feed_rest(self, chunk: bytes) -> None:
        """Note the usage in what follows an error."""
        self._note_rest(self._events.feed(chunk))

    def _note_rest(self, events: Iterator[JSONEvent]) -> None:
        for _, data in events:
            response = data.get("response")
            self._note_usage_and_model(response if isinstance(response, dict) else data)
        self._note_after()

    def _note_after(self) -> None:
        for data in self._events.after:
            self._note_usage_and_model(data)

    def _event(self, event: dict[str, Any], name: str) -> Iterator[StreamEvent]:
        kind = event.get("type")
        kind = kind if isinstance(kind, str) else name
        if piece := _PIECES.get(kind):
            yield from self._text(event, piece)
            return
        response = event.get("response")
        if not isinstance(response, dict):
            self._unknown_content.add("response", response)
            response = event if kind in _ENDS else {}
        error = event.get("error") or stated_error({"error": response.get("error")})
        if not error and not kind.startswith("response."):
            is_bare = "choices" not in event and not self.done
            error = stated_error(event, is_bare=is_bare)
        self._answered = self._answered or kind.startswith("response.")
        if response is not event:
            self._note_usage_and_model(event)
        if kind in ("error", "response.error") or (error and kind not in _ENDS):
            self._note_usage_and_model(response)
            yield from self.flush()
            raise ReportedError(error or event)
        if "choices" in event:
            raise _chat_completion()
        if kind in _ENDS:
            if response is not event:
                self._unknown_content.add_spoken(event, _EVENT_KEYS)
            yield from self._end_of(response, _ENDS[kind], error)
            return
        self._note_usage_and_model(response)
        if kind in SILENT:
            self._unknown_content.add_spoken(event, _EVENT_KEYS)
            yield from self._tell_others(response)
        elif kind in _CITATIONS:
            self._cite(event)
        elif kind in ("response.output_item.added", "response.output_item.done"):
            yield from self._item(event, is_complete=kind.endswith(".done"))
        elif kind.rpartition(".")[0] in _PARTS:
            yield from self._part(event, kind)
        elif not self._items.is_progress(kind, event):
            self._unknown.count(kind, {key: v for key, v in event.items() if key != "response"})

    def _text(self, event: dict[str, Any], piece: _Piece) -> Iterator[StreamEvent]:
        self._answered = True
        item_id, place = event.get("item_id"), event.get("output_index")
        value = event.get(piece.key)
        if not isinstance(value, str):
            if value is None:
                value = next(filter(None, map(event.get, _TEXT_KEYS)), None)
            value = json_text(value) if piece.text == "arguments" else join_text(value)
        if type(item_id) is str and type(place) is int:
            key: tuple[str | int | None, ...] = (piece.item, item_id, place)
        else:
            key = (piece.item, *(v if isinstance(v, str | int) else None for v in (item_id, place)))
        item = None if piece.is_complete else self._found.get(key)
        if item is None:
            if piece.is_complete or len(self._found) > MAX_ITEMS:
                self._found.clear()
            whole = value if piece.is_complete else ""
            item = self._items.of_piece(piece.item, item_id, place, whole)
            self._found[key] = item
        if item is not self._current:
            yield from self._turn_to(item)
        if not event.keys() <= _PIECE_KEYS:
            add_usage(self._usage, find_usage(event))
            for name in event.keys() - _PIECE_KEYS:
                self._unknown_content.add(name, event[name])
        if "name" in event and isinstance(item, CallItem):
            yield from item.open(event)
        index = event.get(piece.part)
        if piece.is_complete:
            yield from item.end_part(piece.text, index, value)
        else:
            yield from item.add(piece.text, index, value)

    def _item(self, event: dict[str, Any], *, is_complete: bool) -> Iterator[StreamEvent]:
        self._found.clear()
        self._unknown_content.add_spoken(event, _EVENT_KEYS)
        given = event.get("item")
        if not isinstance(given, dict):
            self._unknown_content.add("item", given)
            return
        given = with_type(given)
        find = self._items.completed if is_complete else self._items.announced
        item = find(given, event.get("output_index"))
        yield from self._turn_to(item)
        yield from item.finish(given) if is_complete else item.begin(given)

    def _part(self, event: dict[str, Any], kind: str) -> Iterator[StreamEvent]:
        """Yield the events of a part of an item that the server announces or completes."""
        self._unknown_content.add_spoken(event, _EVENT_KEYS)
        part = event.get("part")
        if not isinstance(part, dict):
            return
        item = self._items.of_part(part, event.get("item_id"), event.get("output_index"))
        if item is None:
            return
        if isinstance(item, TextItem):
            item.tell_others_of(part)
        group, _, state = kind.rpartition(".")
        text = _PARTS[group]
        if isinstance(item, MessageItem):
            text = "refusal" if part.get("type") == "refusal" else "text"
        index = event.get("summary_index" if text == "summary" else "content_index")
        words = join_text(part.get("refusal") if text == "refusal" else part)
        if state == "added":
            if words:
                yield from self._turn_to(item)
            yield from item.begin_part(text, index, words)
            return
        yield from self._turn_to(item)
        yield from item.end_part(text, index, words)

    def _turn_to(self, item: Item) -> Iterator[StreamEvent]:
        """Yield what comes before the events of an item that is not the one of the last event."""
        last, self._current = self._current, item
        if last is None or last is item:
            return
        yield from last.pause()
        if isinstance(last, MessageItem) and isinstance(item, MessageItem):
            yield from last.end_block({})

    def _cite(self, event: dict[str, Any]) -> None:
        item = self._items.of_piece("message", event.get("item_id"), event.get("output_index"))
        if isinstance(item, MessageItem):
            item.cite([event.get("annotation")])

    def _end_of(self, response: dict[str, Any], status: str, error: Any) -> Iterator[StreamEvent]:
        """Yield what only the complete response says, and end the answer."""
        self._note_usage_and_model(response)
        given = response.get("status")
        if isinstance(given, str) and given not in ("", "in_progress"):
            status = given
        output, others = _output(response)
        self._unknown_content.add("output", others)
        yield from self._tell_others(response)
        for item, complete in self._items.output(output):
            yield from self._turn_to(item)
            yield from item.finish(complete)
        yield from self.flush()
        self._events.done = True
        if error or status in ("failed", "cancelled"):
            raise ReportedError(error or f"The response is {status}.")
        details = response.get("incomplete_details") or _cut_short([response, *output])
        if status == "incomplete" or (status == "completed" and details):
            yield from self._end_early(details)
        elif status != "completed":
            self._finish_reason = plain_finish_reason(status)
        else:
            self._finish_reason = "tool_calls" if self._items.has_calls else "stop"

    def _tell_others(self, response: dict[str, Any]) -> Iterator[StreamEvent]:
        """Yield pictures under keys that nobody knows, and note what others say to a person."""
        for key in sorted(response.keys() & WORDY - _RESPONSE_KEYS):
            events = self._pictures.of_key(key, response[key])
            if events is None:
                self._unknown_content.add(key, response[key])
            yield from events or ()

    def _end_early(self, details: Any) -> Iterator[StreamEvent]:
        """Yield a notice about the reason of an incomplete response if it is none that a turn knows."""
        reason = plain_finish_reason(details.get("reason") if isinstance(details, dict) else None)
        is_known = reason in PROVIDER_REASONS
        self._finish_reason = reason if is_known else "incomplete"
        if reason and not is_known:
            words = f"The server ended its answer early. Its reason: {reason}."
            yield Notice(words, "warning")

    def _note_usage_and_model(self, response: dict[str, Any]) -> None:
        add_usage(self._usage, find_usage(response))
        self.model = find_model(response) or self.model

    def _plain_body(self, body: str) -> Iterator[StreamEvent]:
        """Yield the events of a body that was not streamed although it was asked to be."""
        try:
            answer = parse_answer(body)
        except ValueError:
            answer = None
            lines = self._events.lines()
            if any(str(line.get("type")).startswith(("response.", "error")) for line in lines):
                for line in lines:
                    if not self.done:
                        yield from self._event(line, "")
                return
        if isinstance(answer, dict) and "output" in answer and "choices" not in answer:
            yield from self._end_of(answer, "completed", answer.get("error"))
            return
        if isinstance(answer, dict) and (answer.get("choices") or answer.get("error")):
            yield from self._event(answer, "")
        if body.strip():
            raise NotACompletionError(describe_other_body("a response", body))


def _output(response: dict[str, Any]) -> tuple[list[dict[str, Any]], Any]:
    """Return the items of a complete response, and what it has in their place and is none.

    Its text may stand under `output_text` alone, and one item without a list.
    """
    given, text = response.get("output"), response.get("output_text")
    if isinstance(given, dict) and not all(isinstance(inner, dict) for inner in given.values()):
        given = [given]
    elif isinstance(given, dict):
        given = list(given.values())
    output, others = [], []
    for part in as_items(given):
        item = with_type(part) if isinstance(part, dict) else {}
        is_text = item.get("type") in _TEXT_PARTS
        if isinstance(item.get("type"), str) and not is_text:
            output.append(item)
        elif words := join_text(part):
            output.append(_message(words))
        else:
            others.append(part)
    if isinstance(text, str) and text and not any(one.get("type") == "message" for one in output):
        output.append(_message(text))
    return output, others


def _message(text: str) -> dict[str, Any]:
    return {"type": "message", "content": [{"type": "output_text", "text": text}]}


def _cut_short(places: list[dict[str, Any]]) -> dict[str, Any]:
    """Return why a completed response was cut short, if it or an item says so after all; else an empty value."""
    for place in places:
        for key in FINISH_KEYS:
            reason = plain_finish_reason(place.get(key))
            is_text = (
                key == "stop_reason" and reason not in PROVIDER_REASONS
            )  # where the text was stopped
            if reason and not is_text and reason not in ("stop", "tool_calls"):
                return {"reason": reason}
        if place.get("status") == "incomplete" and place.get("type") in (
            "message",
            "function_call",
        ):
            return {"reason": "incomplete"}
    return {}


def _chat_completion() -> OtherApiError:
    return OtherApiError(
        "Expected an answer of the Responses API, but the server sent a chat completion."
    )
