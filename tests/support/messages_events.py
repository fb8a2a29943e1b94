"""The chunks of a scripted chat answer as the events of Anthropic's Messages API.

Reasoning becomes a thinking block with a signature, each call a block of its own. A delta may have a key
`redacted_thinking`, which the chat API does not know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from messages_sealed import sealed
from messages_stream import ERROR_TYPES, Event, MessageStream

_REASONING_KEYS = ("reasoning_content", "reasoning")
_REASONS = {
    "stop": "end_turn",
    "tool_calls": "tool_use",
    "function_call": "tool_use",
    "length": "max_tokens",
    "content_filter": "refusal",
}
_ERROR_CODES = {"server_error": "api_error", "rate_limit_exceeded": "rate_limit_error"}


class MessageEvents:
    """Makes the events of one answer from its chunks.

    Args:
        request: The body that is answered.
        number: Of the answer; ids are made of it.
        bill: Returns the usage of the answer, given its blocks; without it, that of the chunks is reported.
    """

    def __init__(
        self,
        request: dict[str, Any],
        number: int,
        bill: Callable[[list[dict[str, Any]]], Mapping[str, Any]] | None = None,
    ) -> None:
        model = str(request.get("model", ""))
        self._bill = bill
        self.stream = MessageStream(model, number, bill([]) if bill else None)
        self._calls: dict[Any, int] = {}
        self._finish: str | None = None
        self._usage: dict[str, Any] | None = None
        self._is_refusal = False
        self._begun = self._ended = False

    def begin(self) -> Iterator[Event]:
        """Yield what comes before the first block."""
        yield from self.stream.begin()

    def feed(self, chunk: dict[str, Any]) -> Iterator[Event]:
        """Yield the events of one chunk. A first one that names a model begins the answer anew, as that model's."""
        if not self._begun and "model" in chunk:
            for event in self.stream.begin():
                yield {**event, "message": {**event["message"], "model": chunk["model"]}}
        self._begun = True
        self._usage = chunk.get("usage") or self._usage
        if "error" in chunk:
            yield self._failure(chunk["error"])
        for choice in chunk.get("choices", ()):
            yield from self._delta(choice.get("delta") or {})
            if reason := choice.get("finish_reason"):
                self._finish = reason
                yield from self.stream.stop()

    def end(self, done: bool) -> Iterator[Event]:
        """Yield the end of the answer if it has a finish reason and no end yet.

        Args:
            done: Whether it ends without a finish reason, too, once something was said.
        """
        if self._ended or not (self._finish or (done and self._begun)):
            return
        self._ended = True
        yield from self.stream.stop()
        reason = "refusal" if self._is_refusal else _REASONS.get(self._finish or "stop")
        usage = self._bill(self.stream.content) if self._bill else as_usage(self._usage)
        yield from self.stream.end(reason or str(self._finish), usage)

    def _delta(self, delta: dict[str, Any]) -> Iterator[Event]:
        for key in _REASONING_KEYS:
            if delta.get(key):
                yield from self.stream.thinking(delta[key])
                break
        if hidden := delta.get("redacted_thinking"):
            yield from self.stream.redacted(hidden)
        if refusal := delta.get("refusal"):
            self._is_refusal = True
            yield from self.stream.text(refusal)
        content, annotations = delta.get("content"), delta.get("annotations", ())
        if content or annotations:
            cited = [_citation(annotation) for annotation in annotations]
            yield from self.stream.text(content or "", cited)
        for piece in delta.get("tool_calls", ()):
            yield from self._call(piece)

    def _call(self, piece: dict[str, Any]) -> Iterator[Event]:
        function = piece.get("function") or {}
        key = piece.get("index", piece.get("id"))
        is_open = self._calls.get(key) == len(self.stream.content)
        is_open = is_open and self.stream.open_type == "tool_use"
        if key not in self._calls or (function.get("name") and not is_open):
            yield from self.stream.call(function.get("name", ""), piece.get("id", ""))
            self._calls[key] = len(self.stream.content)
        elif not is_open:
            raise ValueError(f"a piece of a call whose block has ended: {piece}")
        if arguments := function.get("arguments"):
            yield from self.stream.arguments(arguments)

    def _failure(self, error: Any) -> Event:
        told = error if isinstance(error, dict) else {"message": str(error)}
        self._ended = True
        kind = told.get("code") or told.get("type") or "api_error"
        kind = ERROR_TYPES.get(kind, "api_error") if isinstance(kind, int) else kind
        kind = _ERROR_CODES.get(kind, kind)
        return {"type": "error", "error": {"type": kind, "message": told.get("message", "")}}


def _citation(annotation: dict[str, Any]) -> dict[str, Any]:
    found = annotation.get("url_citation", annotation)
    url = found.get("url", "")
    return {
        "type": "web_search_result_location",
        "cited_text": "",
        "encrypted_index": sealed("", url),
        "title": found.get("title"),
        "url": url,
    }


def as_usage(usage: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return the usage of a chat completion under the keys of this API, where what was cached is no input."""
    if usage is None:
        return None
    cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens", 0)
    found = {
        "input_tokens": usage.get("prompt_tokens", 0) - cached,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": cached,
        "output_tokens": usage.get("completion_tokens", 0),
    }
    thought = (usage.get("completion_tokens_details") or {}).get("reasoning_tokens")
    return (
        found
        if thought is None
        else {**found, "output_tokens_details": {"thinking_tokens": thought}}
    )
