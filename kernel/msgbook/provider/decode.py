"""One streamed chat completion, sans I/O: server-sent events in, stream events out.

Servers differ in almost everything: nothing here may assume an order of reasoning, text and calls,
an index, an id, or an end mark. tests/kernel/test_decode.py has a case for each difference.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator
from typing import Any

from msgbook.errors import ProviderError
from msgbook.events import (
    ModelFinished,
    ReasoningDelta,
    StreamEvent,
    TextDelta,
    ToolCallDelta,
)
from msgbook.provider.sse import ServerSentEvent, SSEDecoder
from msgbook.text import one_line, whole
from msgbook_format.turn import Usage

_HIGH = ("\ud800", "\udbff")


class CompletionDecoder:
    """Decodes the body of one response.

    Args:
        new_id: Makes the id of a tool call that came without one.
    """

    def __init__(self, new_id: Callable[[], str] = lambda: f"call_{uuid.uuid4().hex[:12]}") -> None:
        self._sse = SSEDecoder()
        self._new_id = new_id
        self._calls: list[_Call] = []
        self._surrogates = {"reasoning": "", "text": ""}
        self._finish_reason: str | None = None
        self._done = False
        self._usage: Usage | None = None
        self._answered = False
        self._unreadable = 0

    def feed(self, chunk: bytes) -> Iterator[StreamEvent]:
        """Yield what a piece of the body says.

        Raises:
            ProviderError: The server reports an error in the stream.
        """
        for event in self._sse.feed(chunk):
            yield from self._event(event)

    def end(self) -> Iterator[StreamEvent]:
        """Yield what the end of the body says, `ModelFinished` last.

        Raises:
            ProviderError: The body was no completion at all.
        """
        for event in self._sse.end():
            yield from self._event(event)
        if not self._answered and not self._done:
            yield from self._plain_body(self._sse.other)
        for kind, held in self._surrogates.items():
            if held:
                yield _delta(kind, "\ufffd")
        ended = self._done or self._finish_reason is not None
        # The last event of a stream that was cut off is no loss of its own.
        lost = self._unreadable if ended else 0
        yield ModelFinished(self._finish_reason, ended, self._usage, lost)

    def _event(self, event: ServerSentEvent) -> Iterator[StreamEvent]:
        if event.data.strip() == "[DONE]":
            self._done = True
            return
        try:
            chunk = json.loads(event.data)
        except ValueError:
            if event.event == "error":
                raise ProviderError("APIError", one_line(event.data)) from None
            self._unreadable += 1
            return
        if isinstance(chunk, dict):
            if event.event == "error" and "error" not in chunk:
                chunk = {"error": chunk}
            yield from self._chunk(chunk)

    def _chunk(self, chunk: dict[str, Any]) -> Iterator[StreamEvent]:
        if chunk.get("error"):
            raise ProviderError("APIError", error_message(chunk["error"]))
        self._answered = self._answered or "choices" in chunk
        if isinstance(chunk.get("usage"), dict):
            self._usage = _usage(chunk["usage"])
        for choice in _objects(chunk.get("choices")):
            if not choice.get("index"):
                delta = choice.get("delta") or choice.get("message")
                if isinstance(delta, dict):
                    yield from self._delta(delta)
                if isinstance(choice.get("finish_reason"), str):
                    self._finish_reason = choice["finish_reason"] or self._finish_reason

    def _delta(self, delta: dict[str, Any]) -> Iterator[StreamEvent]:
        yield from self._text("reasoning", _reasoning(delta))
        content = delta.get("content")
        if isinstance(content, str):
            yield from self._text("text", content)
        elif isinstance(content, list):
            for part in content:
                if isinstance(part, dict) and part.get("type") == "thinking":
                    yield from self._text("reasoning", _joined(part.get("thinking")))
                else:
                    yield from self._text("text", _joined([part]))
        if isinstance(delta.get("refusal"), str) and delta["refusal"]:
            yield TextDelta(delta["refusal"], refusal=True)
        for call in _objects(delta.get("tool_calls")):
            yield self._call(call)

    def _text(self, kind: str, text: str) -> Iterator[StreamEvent]:
        """Give out text; half of a surrogate pair waits for the other half."""
        text = self._surrogates[kind] + text
        if not text:
            return
        self._surrogates[kind] = ""
        if _HIGH[0] <= text[-1] <= _HIGH[1]:
            self._surrogates[kind] = text[-1]
            text = text[:-1]
        if text:
            yield _delta(kind, whole(text))

    def _call(self, piece: dict[str, Any]) -> ToolCallDelta:
        function = piece.get("function")
        function = function if isinstance(function, dict) else {}
        call = self._call_of(piece.get("index"), piece.get("id"), function.get("name"))
        name = function.get("name")
        new_name = name if isinstance(name, str) and not call.name else ""
        call.name = call.name or new_name
        arguments = function.get("arguments")
        if arguments is None:
            arguments = ""
        elif not isinstance(arguments, str):
            arguments = json.dumps(arguments, ensure_ascii=False)
        return ToolCallDelta(call.position, call.id, whole(new_name), whole(arguments))

    def _call_of(self, index: Any, given_id: Any, name: Any) -> _Call:
        """The call that a piece belongs to; a new one when the piece opens it.

        An index that returns with another id and a name is a new call (cerebras), and so is one
        that returns with another name; without an index a new id opens a call (mistral, ollama).
        """
        for call in reversed(self._calls):
            same_id = given_id in (None, "", call.server_id)
            if index is None and same_id and (given_id or not name):
                return call
            if (
                index is not None
                and call.index == index
                and (not name or (same_id and (given_id or name == call.name)))
            ):
                return call
        taken = {call.id for call in self._calls}
        usable = isinstance(given_id, str) and given_id and given_id not in taken
        call_id = whole(given_id) if usable else self._new_id()
        call = _Call(len(self._calls), index, given_id, call_id)
        self._calls.append(call)
        return call

    def _plain_body(self, body: str) -> Iterator[StreamEvent]:
        """A server that was asked to stream and answered at once."""
        try:
            answer = json.loads(body)
        except ValueError:
            if body.strip():
                raise ProviderError("NotACompletion", _not_a_completion(body)) from None
            return
        if not isinstance(answer, dict) or not (answer.get("choices") or answer.get("error")):
            raise ProviderError("NotACompletion", _not_a_completion(body))
        yield from self._chunk(answer)


class _Call:
    __slots__ = ("id", "index", "name", "position", "server_id")

    def __init__(self, position: int, index: Any, server_id: Any, call_id: str) -> None:
        self.position, self.index, self.server_id, self.id = position, index, server_id, call_id
        self.name = ""


def error_message(error: Any) -> str:
    """The words of an `error` value, whatever its shape, on one line."""
    if isinstance(error, dict):
        error = error.get("message") or error.get("error") or json.dumps(error, ensure_ascii=False)
    return one_line(str(error))


def _delta(kind: str, text: str) -> ReasoningDelta | TextDelta:
    return ReasoningDelta(text) if kind == "reasoning" else TextDelta(text)


def _reasoning(delta: dict[str, Any]) -> str:
    """The reasoning in a delta, read from one field only: `reasoning_details` repeats it."""
    for key in ("reasoning_content", "reasoning", "reasoning_text"):
        if isinstance(delta.get(key), str) and delta[key]:
            return str(delta[key])
    details = delta.get("reasoning_details")
    return _joined(details) if isinstance(details, list) else ""


def _joined(parts: Any) -> str:
    """The text of a string or of a list of strings and parts."""
    if isinstance(parts, str):
        return parts
    texts = []
    for part in parts if isinstance(parts, list) else ():
        text = part.get("text") if isinstance(part, dict) else part
        texts.append(text if isinstance(text, str) else "")
    return "".join(texts)


def _objects(values: Any) -> list[dict[str, Any]]:
    """The objects of a list; of anything else, none."""
    return [v for v in values if isinstance(v, dict)] if isinstance(values, list) else []


def _usage(usage: dict[str, Any]) -> Usage:
    def detail(group: str, key: str) -> Any:
        details = usage.get(group)
        return details.get(key) if isinstance(details, dict) else None

    found = {
        "input_tokens": usage.get("prompt_tokens"),
        "cached_tokens": detail("prompt_tokens_details", "cached_tokens"),
        "output_tokens": usage.get("completion_tokens"),
        "reasoning_tokens": detail("completion_tokens_details", "reasoning_tokens"),
    }
    return {key: value for key, value in found.items() if isinstance(value, int)}  # type: ignore[return-value]


def _not_a_completion(body: str) -> str:
    what = "an HTML page" if "<html" in body[:1000].lower() else "something else"
    return (
        f"Expected a chat completion, but the server answered with {what}: "
        f"{one_line(body[:120])!r}. Check OPENAI_BASE_URL (it usually ends in /v1)."
    )
