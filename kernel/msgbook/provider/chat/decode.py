"""One streamed chat completion, without I/O: bytes of the body in, stream events out.

Servers differ in almost everything, so this assumes no order of reasoning, text and calls, no index,
no id and no end marker. tests/provider/chat/test_decode*.py have a case for each difference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, cast

from msgbook.errors import NotACompletionError, OtherApiError
from msgbook.events import (
    Citations,
    ModelFinished,
    ReasoningDelta,
    ReasoningDetails,
    StreamEvent,
    TextDelta,
)
from msgbook.provider.answer_quirks import (
    find_model,
    find_reasoning,
    find_usage,
    join_reasoning_details,
    join_text,
    objects,
    plain_finish_reason,
    repair_json,
)
from msgbook.provider.citations import CitationList, listed_citations
from msgbook.provider.error_quirks import ReportedError
from msgbook.provider.json_events import JSONEvents, describe_other_body, parse_json
from msgbook.provider.pieces import DetailsJoiner, SurrogateJoiner, ThinkSplitter
from msgbook.provider.tool_call_pieces import CallAssembler
from msgbook_format.turn import Usage

_OF_OTHER_API = "Expected a chat completion, but the server sent an answer of the Responses API."


class CompletionDecoder:
    """Decodes the body of one response.

    Args:
        new_id: Makes an id for a tool call that came without one.
    """

    def __init__(self, new_id: Callable[[], str]) -> None:
        self._events = JSONEvents()
        self._calls = CallAssembler(new_id)
        self._content = ThinkSplitter()
        self._details = DetailsJoiner()
        self._reasoning_half, self._text_half = SurrogateJoiner(), SurrogateJoiner()
        self._refusal_half = SurrogateJoiner()
        self._reasoning_field = ""
        self._finish_reason: str | None = None
        self._usage: dict[str, int] = {}
        self._model: str | None = None
        self._citations = CitationList()
        self._answered = self._has_text = False

    @property
    def done(self) -> bool:
        """True once `[DONE]` has come; what follows is ignored."""
        return self._events.done

    @property
    def has_ended(self) -> bool:
        """True once the server has marked the end of the answer; usage may still follow."""
        return self.done or self._finish_reason is not None

    def feed(self, chunk: bytes) -> Iterator[StreamEvent]:
        """Yield the events of a piece of the body.

        Raises:
            ProviderError: The server reports an error in the stream, answers over the other API, or
                sends a line that never ends.
        """
        for _, data in self._events.feed(chunk):
            yield from self._chunk(data)

    def end(self) -> Iterator[StreamEvent]:
        """Yield the events of the end of the body, `ModelFinished` last.

        Raises:
            ProviderError: The body was not a completion.
        """
        for _, data in self._events.end():
            yield from self._chunk(data)
        if not self._answered and not self.done:
            yield from self._plain_body(self._events.other)
        yield from self.flush()
        if details := self._details.join():
            yield ReasoningDetails(repair_json(details))
        # In a stream that was cut off, the last event does not count as lost: the turn says "cut" anyway.
        lost = self._events.unreadable if self.has_ended else 0
        usage = cast("Usage", self._usage) if self._usage else None
        yield ModelFinished(self._finish_reason, self.has_ended, usage, lost, self._model)

    def flush(self) -> Iterator[StreamEvent]:
        """Yield the text that is held back, before an error or the end."""
        yield from self._split(self._content.flush())
        if half := self._reasoning_half.end():
            yield ReasoningDelta(half, self._reasoning_field)
        if half := self._text_half.end():
            yield from self._split(self._content.feed(half))
        if half := self._refusal_half.end():
            yield TextDelta(half, refusal=True)
        if self._has_text and (citations := self._citations.take()):
            yield Citations(citations)

    def _chunk(self, chunk: dict[str, Any]) -> Iterator[StreamEvent]:
        self._answered = self._answered or "choices" in chunk
        if not self._answered and str(chunk.get("type")).startswith("response."):
            raise OtherApiError(_OF_OTHER_API)
        self._usage |= cast("dict[str, int]", find_usage(chunk))
        self._model = self._model or find_model(chunk)
        if "citations" in chunk or "search_results" in chunk:
            self._citations.add(listed_citations(chunk))
        errors = [chunk.get("error")]
        for choice in objects(chunk.get("choices")):
            if not choice.get("index"):
                # Some servers repeat the whole message beside the last, empty delta.
                delta = choice["delta"] if "delta" in choice else choice.get("message")
                if isinstance(delta, dict):
                    yield from self._delta(delta)
                reason = plain_finish_reason(choice.get("finish_reason"))
                self._finish_reason = reason or self._finish_reason
                errors.append(choice.get("error"))
        for error in filter(None, errors):
            yield from self.flush()
            raise ReportedError(error)

    def _delta(self, delta: dict[str, Any]) -> Iterator[StreamEvent]:
        yield from self._reasoning(delta)
        content = delta.get("content")
        for part in content if isinstance(content, list) else [content]:
            if isinstance(part, dict) and part.get("type") == "thinking":
                yield from self._thought(join_text(part.get("thinking")), "")
            else:
                text = self._text_half.feed(join_text(part))
                yield from self._split(self._content.feed(text))
        if isinstance(delta.get("refusal"), str) and delta["refusal"]:
            yield from self._split(self._content.flush())
            yield TextDelta(self._refusal_half.feed(delta["refusal"]), refusal=True)
        self._citations.add(delta.get("annotations"))
        calls = objects(delta.get("tool_calls"))
        if isinstance(delta.get("function_call"), dict):
            calls.append({"index": "function_call", "function": delta["function_call"]})
        if calls:
            yield from self._split(self._content.flush())
        for call in calls:
            yield self._calls.feed(call)

    def _reasoning(self, delta: dict[str, Any]) -> Iterator[StreamEvent]:
        """Yield reasoning from one field only: `reasoning_details` repeats a named field, at once or later."""
        text, field = find_reasoning(delta)
        details = objects(delta.get("reasoning_details"))
        self._details.feed(details)
        if not text and not self._reasoning_field:
            text = join_reasoning_details(details)
        self._reasoning_field = self._reasoning_field or field
        yield from self._thought(text, field)

    def _thought(self, text: str, field: str) -> Iterator[StreamEvent]:
        if text:
            yield from self._split(self._content.flush())
        if text := self._reasoning_half.feed(text):
            yield ReasoningDelta(text, field)

    def _split(self, content: Iterator[ReasoningDelta | TextDelta]) -> Iterator[StreamEvent]:
        for piece in content:
            self._has_text = self._has_text or isinstance(piece, TextDelta)
            yield piece

    def _plain_body(self, body: str) -> Iterator[StreamEvent]:
        """Yield the events of a body that was not streamed although it was asked to be."""
        try:
            answer = parse_json(body)
        except ValueError:
            if body.strip():
                raise NotACompletionError(describe_other_body("a chat completion", body)) from None
            return
        if isinstance(answer, dict) and answer.get("object") == "response":
            raise OtherApiError(_OF_OTHER_API)
        if not isinstance(answer, dict) or not (answer.get("choices") or answer.get("error")):
            raise NotACompletionError(describe_other_body("a chat completion", body))
        self._events.done = True
        yield from self._chunk(answer)
