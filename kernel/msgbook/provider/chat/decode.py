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
    FINISH_KEYS,
    REASONING_KEYS,
    CitationList,
    add_usage,
    find_model,
    find_reasoning,
    find_usage,
    inner_text,
    is_marked_thought,
    join_reasoning_details,
    join_text,
    listed_citations,
    plain_finish_reason,
    repair_json,
)
from msgbook.provider.chat.keys import (
    BESIDE_DELTA,
    CHOICE_KEYS,
    CHUNK_KEYS,
    DELTA_KEYS,
    PLAIN_CHOICE,
    PLAIN_CHUNK,
    PLAIN_DELTA,
    THOUGHT_KEYS,
    USAGE,
    WHOLE_KEYS,
)
from msgbook.provider.error_quirks import ERROR_KEYS, ReportedError, stated_error
from msgbook.provider.json_events import (
    NO_EVENT,
    JSONEvent,
    JSONEvents,
    UnknownContent,
    describe_other_body,
    is_spoken,
    parse_answer,
)
from msgbook.provider.pictures import Pictures
from msgbook.provider.pieces import DetailsJoiner, SurrogateJoiner, ThinkSplitter, WholeDeltas
from msgbook.provider.tool_call_pieces import LEGACY, CallAssembler, call_pieces
from msgbook.text import GrowingText
from msgbook_format.turn import Usage
from msgbook_format.typed import as_dicts, as_items

_THOUGHT_PARTS = ("thinking", "reasoning", "thought", "reasoning_text", "summary_text")
"""Types of the parts of a content that are reasoning."""

_GEMINI_TAGS = ("<thought>", "</thought>")


_MOST_DIFFERING = 3
"""Complete messages that are compared with an answer that they do not begin with; a server sends one."""

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
        self._texts, self._thoughts, self._refusals = WholeDeltas(), WholeDeltas(), WholeDeltas()
        self._reasoning_field = ""
        self._error: Any = None
        self._finish_reason: str | None = None
        self._usage: dict[str, int] = {}
        self.model: str | None = None
        self._citations = CitationList()
        self._pictures, self._unknown = Pictures(), UnknownContent()
        self._said = GrowingText()
        """The content, to compare with a complete message."""
        self._differing = 0
        """Number of complete messages that say something else."""
        self._said_keys: set[str] = set()
        """Keys under which pieces have said something, apart from the content."""
        self._twice: set[str] = set()
        """Keys whose pieces come in `delta` and in `message`."""
        self._has_first = False
        """True once there is a choice 0, which is shown."""
        self._further = 0
        """Index of the last choice that is not shown."""
        self._in_thought = False
        """True after content that is marked as reasoning."""
        self._answered = self._has_text = self._has_begun = self._has_thought = False

    @property
    def done(self) -> bool:
        """True once `[DONE]` has come; what follows is ignored."""
        return self._events.done

    @property
    def has_ended(self) -> bool:
        """True once the server has marked the end of the answer; usage may still follow."""
        return self.done or self._finish_reason is not None

    @property
    def usage(self) -> Usage | None:
        """Usage as far as the server has reported it."""
        return cast("Usage", dict(self._usage)) if self._usage else None

    def feed(self, chunk: bytes) -> Iterator[StreamEvent]:
        """Yield the events of a piece of the body.

        Raises:
            ProviderError: The server reports an error in the stream, answers over the other API, or
                sends a line that never ends.
        """
        events = self._events.feed(chunk)
        for _, data in events:
            try:
                yield from self._chunk(data)
            except ReportedError:
                self._note_usage(events)
                raise

    def feed_rest(self, chunk: bytes) -> None:
        """Note the usage in what follows an error."""
        self._note_usage(self._events.feed(chunk))

    def _note_usage(self, events: Iterator[JSONEvent]) -> None:
        for _, data in events:
            add_usage(self._usage, find_usage(data))
        self._note_after()

    def _note_after(self) -> None:
        for data in self._events.after:
            add_usage(self._usage, find_usage(data))

    def end(self) -> Iterator[StreamEvent]:
        """Yield the events of the end of the body, `ModelFinished` last.

        Raises:
            ProviderError: The body was not a completion.
        """
        for _, data in self._events.end():
            yield from self._chunk(data)
        strange = self._events.strange
        if not self._answered and (strange or not self.done):
            yield from self._plain_body(self._events.other or strange)
        else:
            objects_found, words = self._events.others()
            for data in objects_found:
                yield from self._chunk(data)
            self._unknown.add(NO_EVENT, words)
        yield from self.flush()
        if error := self._events.error:
            raise ReportedError(error)
        if details := self._details.join():
            yield ReasoningDetails(repair_json(details))
        self._note_after()
        # In a stream that was cut off, the last event does not count as lost: the turn says "cut" anyway.
        lost = self._events.unreadable if self.has_ended else 0
        yield ModelFinished(self._finish_reason, self.has_ended, self.usage, lost, self.model)

    def flush(self) -> Iterator[StreamEvent]:
        """Yield the text that is held back, before an error or the end, and notices about the rest."""
        yield from self._held_thought()
        yield from self._held_text()
        if half := self._reasoning_half.end():
            yield ReasoningDelta(half, self._reasoning_field)
        if half := self._text_half.end():
            yield from self._split(self._content.feed(half))
        if held := self._refusal_half.feed(self._refusals.end()) + self._refusal_half.end():
            yield TextDelta(held, refusal=True)
        yield from self._calls.end()
        if self._has_text and (citations := self._citations.take()):
            yield Citations(citations)
        yield from self._pictures.take()
        yield from self._unknown.take()

    def _chunk(self, chunk: dict[str, Any]) -> Iterator[StreamEvent]:
        is_plain = chunk.keys() <= PLAIN_CHUNK and chunk.get("object") != "error"
        errors = []
        if chunk.get("error") or not is_plain:
            is_bare = "choices" not in chunk and self._finish_reason is None
            errors.append(stated_error(chunk, is_bare=is_bare))
            groq = chunk.get("x_groq")  # says why a stream ended early
            errors.append(groq.get("error") if isinstance(groq, dict) else None)
        if not is_plain:
            yield from self._further_keys(chunk, is_error=any(errors))
        self._answered = self._answered or "choices" in chunk
        if chunk.get("usage") is not None or chunk.get("error") or not is_plain:
            add_usage(self._usage, find_usage(chunk))
        if self.model is None:
            self.model = find_model(chunk)
        choices = chunk.get("choices")
        for choice in _as_list(choices):
            if not isinstance(choice, dict):
                self._unknown.add("choices", choice)
                continue
            yield from self._one_choice(choice)
            if choice.get("error"):
                errors.append(stated_error(choice))
        if not is_plain and self._finish_reason is None:
            self._finish_reason = plain_finish_reason(_finish_reason([chunk]))
        for error in filter(None, [*errors, self._error]):
            yield from self.flush()
            raise ReportedError(error)

    def _further_keys(self, chunk: dict[str, Any], *, is_error: bool) -> Iterator[StreamEvent]:
        """Note citations, and yield the events of keys of a chunk that nobody knows."""
        is_answer = self._answered or "choices" in chunk
        if not is_answer and str(chunk.get("type")).startswith("response."):
            raise OtherApiError(_OF_OTHER_API)
        if "citations" in chunk or "search_results" in chunk:
            self._citations.add(listed_citations(chunk))
        if not is_error:
            yield from self._others(chunk, CHUNK_KEYS)

    def _others(self, values: dict[str, Any], known: frozenset[str]) -> Iterator[StreamEvent]:
        """Yield pictures under unknown keys beside the answer, and note what is meant for a person: most is not."""
        for key in sorted(values.keys() - known):
            if events := self._pictures.of_key(key, values[key]):
                self._answered = True
                yield from self._picture(events)
            elif is_spoken(key, values[key]):
                self._unknown.add(key, values[key])

    def _one_choice(self, choice: dict[str, Any]) -> Iterator[StreamEvent]:
        if not choice.keys() <= PLAIN_CHOICE:
            add_usage(self._usage, find_usage({"choices": [choice]}))
            yield from self._others(choice, CHOICE_KEYS | BESIDE_DELTA)
        index = choice.get("index")
        if index and type(index) is int and self._is_further(index):
            self._unknown.add("a further choice", choice.get("delta") or choice.get("message"))
            return
        self._has_first = self._has_first or index == 0
        delta, message = choice.get("delta"), choice.get("message")
        if not BESIDE_DELTA.isdisjoint(choice) and isinstance(delta, dict | None):
            delta = {key: choice[key] for key in BESIDE_DELTA & choice.keys()} | (delta or {})
        finish = _finish_reason([choice, delta, message])
        if isinstance(delta, dict) and isinstance(message, dict):
            delta, message = self._told_apart(delta, message)
        elif not isinstance(delta, dict | str):
            self._unknown.add("delta", delta)
        if isinstance(delta, dict) and delta:
            yield from self._delta(delta, ends=bool(finish))
        if isinstance(message, dict):
            yield from self._message(message)
        elif not delta or not isinstance(delta, dict):
            text = delta if isinstance(delta, str) else message
            yield from self._contents(text if isinstance(text, str) else choice.get("text"))
        self._finish_reason = plain_finish_reason(finish) or self._finish_reason

    def _told_apart(
        self, delta: dict[str, Any], message: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any] | None]:
        """Return a delta and a message of one chunk without what both say; no message if it says nothing else.

        What both say is a piece, unless deltas alone said it before: then it is the whole message.
        """
        both = {key for key, value in delta.items() if value and message.get(key) == value}
        both.discard("role")
        whole = {key for key in both - self._twice if self._is_said_before(key, message[key])}
        pieces = both - whole
        self._twice |= pieces
        delta = {key: value for key, value in delta.items() if key not in whole}
        rest = {key: value for key, value in message.items() if key not in pieces}
        has_more = any(rest[key] for key in rest if key != "role")
        return delta, rest if has_more or not pieces else None

    def _is_said_before(self, key: str, value: Any) -> bool:
        """Return whether a value may be the whole of what deltas said in pieces."""
        if key != "content":
            return key in self._said_keys
        said = str(self._said)
        return bool(said) and join_text(value).startswith(said)

    def _is_further(self, index: int) -> bool:
        """Return whether a choice is one of several. Without those before it, its index is only another name."""
        is_next = self._has_first and index <= self._further + 1
        self._further = max(self._further, index) if is_next else self._further
        return is_next

    def _message(self, message: dict[str, Any]) -> Iterator[StreamEvent]:
        """Yield what a complete message says that its pieces did not: some servers send both."""
        if not self._has_begun:
            yield from self._delta(message)
            return
        known = WHOLE_KEYS | self._said_keys
        if self._has_thought:
            known |= THOUGHT_KEYS
        rest = {key: message[key] for key in message.keys() - known}
        whole = join_text(message.get("content"))
        yield from self._held_text(whole)
        yield from self._calls.end()
        said = str(self._said)
        if whole.startswith(said):
            rest["content"] = whole[len(said) :]
        elif self._differing < _MOST_DIFFERING:
            self._differing += 1
            if "".join(whole.split()) not in "".join(said.split()):
                self._unknown.add("message", whole)
        calls, others = call_pieces(message.get("tool_calls"))
        if not calls and isinstance(message.get(LEGACY), dict):
            calls = [{"function": message[LEGACY]}]
        unsaid = self._calls.unsaid(calls, by_id=True)
        new, differing = self._calls.split_differing(calls, unsaid)
        for call in differing:
            self._unknown.add("message.tool_calls", call)
        yield from self._delta({**rest, "tool_calls": new + others})

    def _delta(self, delta: dict[str, Any], *, ends: bool = False) -> Iterator[StreamEvent]:
        self._has_begun = True
        if delta.keys() <= PLAIN_DELTA:
            yield from self._contents(delta.get("content"))
            return
        self._said_keys |= {key for key in delta if delta[key]}
        if not USAGE.isdisjoint(delta):
            add_usage(self._usage, find_usage(delta))
        if not ERROR_KEYS.isdisjoint(delta):
            self._error = self._error or stated_error(delta)
        yield from self._reasoning(delta)
        yield from self._marked_contents(delta)
        for key in sorted(delta.keys() - DELTA_KEYS):
            events = self._pictures.of_key(key, delta[key])
            if events is None:
                self._unknown.add(key, delta[key])
            yield from self._picture(events)
        if refusal := delta.get("refusal"):
            yield from self._refusal(refusal)
        for image in as_items(delta["images"]) if delta.get("images") else ():
            events = self._pictures.of_value(image)
            if events is None:
                self._unknown.add("images", image)
            yield from self._picture(events)
        if "annotations" in delta:
            self._citations.add(delta["annotations"])
        if delta.get("tool_calls") or delta.get(LEGACY):
            yield from self._called(delta, ends=ends)

    def _called(self, delta: dict[str, Any], *, ends: bool) -> Iterator[StreamEvent]:
        """Yield the pieces of calls. A call that comes again whole with the end of the answer is an echo."""
        calls, others = call_pieces(delta.get("tool_calls"))
        for other in others:
            self._unknown.add("tool_calls", other)
        yield from self._held_thought()
        yield from self._held_text()
        if ends:
            yield from self._calls.end()
            calls = self._calls.unsaid(calls, by_id=False)
        for call in calls:
            yield self._calls.feed(call)
        legacy = delta.get(LEGACY)
        if isinstance(legacy, dict) and not self._calls.is_echo(legacy):
            yield self._calls.feed({"index": LEGACY, "function": legacy})

    def _refusal(self, refusal: Any) -> Iterator[StreamEvent]:
        if text := join_text(refusal):
            yield from self._held_text()
            yield TextDelta(self._refusal_half.feed(self._refusals.feed(text)), refusal=True)
        else:
            self._unknown.add("refusal", refusal)

    def _marked_contents(self, delta: dict[str, Any]) -> Iterator[StreamEvent]:
        """Yield content, or the reasoning as which Gemini marks it; it puts tags around it, too."""
        (begin, end), content = _GEMINI_TAGS, delta.get("content")
        if is_marked_thought(delta) and isinstance(content, str):
            content = content if self._in_thought else content.removeprefix(begin)
            self._in_thought = True
            yield from self._thought(content.removesuffix(end), "")
            return
        yield from self._contents(content)

    def _contents(self, content: Any) -> Iterator[StreamEvent]:
        if self._in_thought and isinstance(content, str) and content:
            content, self._in_thought = content.removeprefix(_GEMINI_TAGS[1]), False
        for part in as_items(content):
            text = part if isinstance(part, str) else join_text(part)
            kind = part.get("type") if isinstance(part, dict) else None
            thought = inner_text(part) if kind in _THOUGHT_PARTS else ""
            if thought:
                yield from self._thought(thought, "")
            elif isinstance(part, dict) and part.get("refusal") and not text:
                yield from self._refusal(part["refusal"])
            elif text:
                yield from self._held_thought()
                yield from self._add_text(self._texts.feed(text))
            elif isinstance(part, dict):
                yield from self._other_part(part)

    def _add_text(self, text: str) -> Iterator[StreamEvent]:
        text = self._text_half.feed(text)
        self._said.add(text)
        yield from self._split(self._content.feed(text))

    def _held_text(self, whole: str = "") -> Iterator[StreamEvent]:
        """Yield the text that is held back: something else follows, or the complete text."""
        if held := self._texts.end(whole):
            yield from self._add_text(held)
        yield from self._split(self._content.flush())

    def _held_thought(self) -> Iterator[StreamEvent]:
        if held := self._reasoning_half.feed(self._thoughts.end()):
            yield ReasoningDelta(held, self._reasoning_field)

    def _other_part(self, part: dict[str, Any]) -> Iterator[StreamEvent]:
        """Yield the events of a part of the content that is not text."""
        events = self._pictures.of_part(part)
        if events is not None:
            yield from self._picture(events)
        elif part.get("type") != "text":
            self._unknown.add(f"{part.get('type')} in the content", part)

    def _picture(self, events: list[StreamEvent] | None) -> Iterator[StreamEvent]:
        if events:
            yield from self._held_text()
            yield from events

    def _reasoning(self, delta: dict[str, Any]) -> Iterator[StreamEvent]:
        """Yield reasoning from one field only: `reasoning_details` repeats a named field, at once or later."""
        text, field = find_reasoning(delta)
        details = as_dicts(delta.get("reasoning_details"))
        self._details.feed(details)
        if not text and not self._reasoning_field:
            text = join_reasoning_details(details) or inner_text(delta.get("thinking_blocks"))
        if not text:
            for key in REASONING_KEYS:
                if key in delta:
                    self._unknown.add(key, delta[key])
        self._reasoning_field = self._reasoning_field or field
        yield from self._thought(text, field)

    def _thought(self, text: str, field: str) -> Iterator[StreamEvent]:
        if text:
            yield from self._held_text()
        if text := self._reasoning_half.feed(self._thoughts.feed(text)):
            self._has_thought = True
            yield ReasoningDelta(text, field)

    def _split(self, content: Iterator[ReasoningDelta | TextDelta]) -> Iterator[StreamEvent]:
        for piece in content:
            self._has_text = self._has_text or isinstance(piece, TextDelta)
            yield piece

    def _plain_body(self, body: str) -> Iterator[StreamEvent]:
        """Yield the events of a body that was not streamed although it was asked to be."""
        try:
            answer = parse_answer(body)
        except ValueError:
            lines = self._events.lines()
            if any("choices" in line or line.get("error") for line in lines):
                for line in lines:
                    yield from self._chunk(line)
                return
            if body.strip():
                raise NotACompletionError(describe_other_body("a chat completion", body)) from None
            return
        if isinstance(answer, dict) and answer.get("object") == "response":
            raise OtherApiError(_OF_OTHER_API)
        if not isinstance(answer, dict) or not (answer.get("choices") or answer.get("error")):
            raise NotACompletionError(describe_other_body("a chat completion", body))
        self._events.done = True
        yield from self._chunk(answer)


def _finish_reason(places: list[Any]) -> Any:
    """Return the finish reason of a choice, under whatever key, or in its delta or message."""
    found = (place[key] for place in as_dicts(places) for key in FINISH_KEYS if place.get(key))
    return next(found, None)


def _as_list(choices: Any) -> list[Any]:
    """Return choices as a list: a few servers send one alone, or an object with one under each index."""
    if isinstance(choices, dict):
        is_by_index = bool(choices) and all(key.isdecimal() for key in choices)
        return list(choices.values()) if is_by_index else [choices]
    return choices if isinstance(choices, list) else [choices]
