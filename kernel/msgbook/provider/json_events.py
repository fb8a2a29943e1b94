"""The JSON objects of a streamed answer, without I/O: bytes of the body in, objects out; and words for unknown ones."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator
from typing import Any

from msgbook.errors import NotACompletionError, ProviderError
from msgbook.events import Notice
from msgbook.provider.sse import STRAY, ServerSentEvent, SSEDecoder
from msgbook.text import excerpt, one_line, visible, without_data

JSONEvent = tuple[ServerSentEvent, dict[str, Any]]
"""An event and the object that is its data. What an event named `error` says is under `error`."""

_DEEPEST = 100
"""Levels of objects and lists in one value. What is kept of it is written and compared without overflow."""

_MOST_VALUES = 500_000
"""Most commas and brackets in one value: small values take twenty times as much memory as their text."""

_MOST_OBJECTS = 1000
"""Most objects of one line."""

_MOST_AFTER = 10
"""Most objects that are kept of what follows the end of an answer."""

_SILENT_LINES = frozenset(
    ("", "data", "event", "ping", "pong", "keepalive", "keep-alive", "heartbeat", "ok")
)
"""Lines that say nothing: servers keep a connection open with them."""

_ODD_LIMIT = 2000
"""Characters that are kept of data which is JSON and no object, and of data which is words."""

_ENDS = frozenset(("done", "eos", "end", "finish", "finished", "complete", "end of stream"))
"""Data, and names of events, that end an answer, whatever their case, with brackets and quotation marks or without."""

_PART_KEYS = frozenset(("choices", "type", "output", "content"))
"""Keys of a part of an answer. A few servers give each of its events a name that would end it."""

_END_LENGTH = 20
"""Characters of data that may be an end mark; longer data need not be compared."""
_END_MARK = "[DONE]"
_END_KEYS = frozenset(
    (
        "done",
        "done_reason",
        "usage",
        "id",
        "model",
        "object",
        "created",
        "created_at",
        "prompt_eval_count",
        "eval_count",
    )
)
"""Keys of an object that ends an answer with `"done": true`."""

_ERROR_EVENTS = frozenset(("error", "exception", "fatal", "failure", "err"))
"""Names of events that bring errors."""

_PAGE = re.compile(
    r"^\s*<(!doctype|html|head|body|title|center|h1)\b", re.IGNORECASE | re.MULTILINE
)
_BEGINNING = re.compile(r"[{\[]|d(a(t(a)?)?)?$|e(v(e(n(t)?)?)?)?$|i(d)?$|r(e(t(r(y)?)?)?)?$")
"""A line that was cut and is perhaps the beginning of a field or of an object."""
_OLLAMA = re.compile(r'"done"\s*:\s*(true|false)')
_SEPARATORS = re.compile(r"[\s,\[\]\x1e]*")
_BROKEN_JSON = re.compile(r'["{]|\[\s*[\[{"\d]|-?\d')
_BROKEN_ERROR = re.compile(r"""[{]\s*['"]?(error|errors|exception|detail)\b""", re.IGNORECASE)


def _finite(text: str) -> float | None:
    number = float(text)
    return number if math.isfinite(number) else None


# Not strict: some servers do not escape line feeds and tabs in texts.
_DECODER = json.JSONDecoder(strict=False, parse_constant=lambda _: None, parse_float=_finite)


class JSONEvents:
    """Reads the events of one body, cut anywhere, until `[DONE]`."""

    def __init__(self) -> None:
        self._sse = SSEDecoder()
        self._plain_name = ""
        self._odd = self._words = self.strange = ""
        """`strange` is the beginning of the first data of which no answer can be made."""
        self.unreadable = 0
        """Number of events whose data is not JSON."""
        self.done = False
        """True once `[DONE]` has come, or set by the reader; what follows goes to `after`."""
        self.after: list[dict[str, Any]] = []
        """First objects that came after the end: some servers state the usage there."""

    @property
    def other(self) -> str:
        """Beginning of the lines that are not fields of an event stream."""
        return self._sse.other

    @property
    def error(self) -> str:
        """Words in the place of data or of events, with which a server says that it has failed."""
        page = self.other if _PAGE.search(self.other) else ""
        return self._words or page

    def feed(self, chunk: bytes) -> Iterator[JSONEvent]:
        """Yield the objects that `chunk` completes.

        Raises:
            ProviderError: A line, the data of an event, or what is not an event, never ends.
        """
        try:
            yield from self._objects(self._sse.feed(chunk))
        except ProviderError:
            if not self.done:
                raise
        if self._sse.is_other_full and not self.done:
            raise NotACompletionError(describe_other_body("a streamed answer", self.other))

    def end(self) -> Iterator[JSONEvent]:
        """Yield the objects that the end of the body completes."""
        return self._objects(self._sse.end())

    def others(self) -> tuple[list[dict[str, Any]], str]:
        """Return the objects among the lines that are not fields, and the words of what else is none."""
        lines = self.other.split("\n")
        whole = _object(self.other)
        if whole is not None:
            return [whole], self._odd
        if self._sse.is_other_cut and _BEGINNING.match(lines[-1]) and _object(lines[-1]) is None:
            del lines[-1:]
        found = [(line, _object(line)) for line in lines]
        if _PAGE.search(self.other):
            found = [(line, value) for line, value in found if value is not None]  # see `error`
        words = [self._odd, *(line for line, value in found if value is None and _says(line))]
        return [value for _, value in found if value is not None], "\n".join(filter(None, words))

    def lines(self) -> list[dict[str, Any]]:
        """Return the objects of a body that has nothing else: one on each line, in an array, side by side."""
        found, rest = _side_by_side(self.other, len(self.other))
        is_cut = self._sse.is_other_cut and found and rest[:1] == "{"
        return found if is_cut or not rest else []

    def _objects(self, events: Iterable[ServerSentEvent]) -> Iterator[JSONEvent]:
        for event in events:
            if (plain := self._plain_object(event)) is not None:
                yield event, plain
                self._note_end(plain)
                continue
            ends = _is_end(event.event)
            for data in _parts(event.data.strip(STRAY + "\n")):
                if data.startswith("data:"):  # a gateway has framed an event again
                    data = data[len("data:") :].strip()
                if self.done:
                    self._note_after(data)
                elif _is_end(data):
                    self.done = True
                else:
                    for found in self._values(event, data):
                        ends = ends and not _is_part(found[1])
                        yield found
            self.done |= ends

    def _plain_object(self, event: ServerSentEvent) -> dict[str, Any] | None:
        """Return the object of an event as nearly all are: it has one, on one line; None for any other event."""
        name, data = event
        if self.done or data[:1] != "{" or "\n" in data:
            return None
        if name != self._plain_name:
            if name.lower() in _ERROR_EVENTS or _is_end(name):
                return None
            self._plain_name = name
        value = _object(data)
        if value is not None and not self.strange and _holds_more(value):
            self.strange = data[:_ODD_LIMIT]
        return value

    def _note_end(self, value: dict[str, Any]) -> None:
        self.done |= value.get("done") is True and value.keys() <= _END_KEYS

    def _note_after(self, data: str) -> None:
        value = _object(data) if len(self.after) < _MOST_AFTER else None
        if value is not None:
            self.after.append(value)

    def _values(self, event: ServerSentEvent, data: str) -> Iterator[JSONEvent]:
        """Yield the objects in the data of an event."""
        if not data:
            return
        is_error = bool(event.event) and event.event.lower() in _ERROR_EVENTS
        try:
            value = parse_json(data)
        except ValueError:
            if several := _objects_side_by_side(data):
                yield from ((event, one) for one in several)
            elif is_error:
                yield event, {"error": data}
            else:
                self._note_unreadable(data)
            return
        if isinstance(value, dict):
            if is_error and not value.get("error"):
                value = {"error": value or f"an event `{event.event}` without words"}
            if not self.strange and _holds_more(value):
                self.strange = data[:_ODD_LIMIT]
            yield event, value
            self._note_end(value)
        elif is_error and value:
            yield event, {"error": value}
        elif isinstance(value, str) and value.lstrip()[:1] == "{":  # a gateway has encoded it twice
            yield from self._values(event, value)
        elif isinstance(value, list) and any(isinstance(entry, dict) for entry in value):
            yield from ((event, entry) for entry in value if isinstance(entry, dict))
        elif value and len(self._odd) < _ODD_LIMIT:
            self._odd = "\n".join(filter(None, [self._odd, data[:_ODD_LIMIT]]))
            self.strange = self.strange or (data[:_ODD_LIMIT] if content_words(value) else "")

    def _note_unreadable(self, data: str) -> None:
        """Count data that is broken JSON. Words in its place are those of a server that has failed."""
        if _END_MARK.startswith(data):
            return  # the connection ended within it
        if _BROKEN_JSON.match(data) and not _BROKEN_ERROR.match(data):
            self.unreadable += 1
            self.strange = self.strange or data[:_ODD_LIMIT]
        elif _says(data) and len(self._words) < _ODD_LIMIT:
            self._words = "\n".join(filter(None, [self._words, data[:_ODD_LIMIT]]))


def _is_end(words: str) -> bool:
    """Return whether data, or the name of an event, may end an answer."""
    return len(words) < _END_LENGTH and words.strip('"[]').lower() in _ENDS


def _is_part(value: dict[str, Any]) -> bool:
    """Return whether an object is a part of an answer, also where its event is named as the end."""
    found = _PART_KEYS & value.keys()
    return bool(found) and not (found == {"type"} and _is_end(str(value["type"])))


def _parts(data: str) -> list[str]:
    """Return the data of one event, or the data of several: servers forget the blank lines between them."""
    if "\n" not in data:
        return [data]
    first, _, rest = data.partition("\n")
    if not rest.strip() or _object(first) is None:
        return [data]
    return [line.strip() for line in data.split("\n") if line.strip()]


def _objects_side_by_side(data: str) -> list[dict[str, Any]]:
    """Return the objects of a line that has several without anything between them; none if it is something else."""
    found, rest = _side_by_side(data, _MOST_OBJECTS) if data[:1] == "{" else ([], data)
    return [] if rest else found


def _side_by_side(data: str, most: int) -> tuple[list[dict[str, Any]], str]:
    """Return the objects with which a text begins, and what stands behind them.

    A few servers answer with an array that grows (Gemini's own API), or put a separator before each (RFC 7464).
    """
    found: list[dict[str, Any]] = []
    at = _after_separators(data, 0)
    while data[at : at + 1] == "{" and len(found) < most:
        try:
            value, end = _DECODER.raw_decode(data, at)
        except (ValueError, RecursionError):
            break
        if is_too_deep(value):
            break
        found.append(value)
        at = _after_separators(data, end)
    return found, data[at:]


def _after_separators(data: str, at: int) -> int:
    found = _SEPARATORS.match(data, at)
    return found.end() if found else at


def _holds_more(value: dict[str, Any]) -> bool:
    """Return whether an object holds others, as an answer does, and a sign of life and a count do not."""
    return any(
        isinstance(inner, dict | list) and inner and key not in ("usage", "x_groq", "timings")
        for key, inner in value.items()
    )


def parse_json(text: str) -> Any:
    """Return the value of a JSON text; None stands for what JSON does not know: `NaN`, `1e999`.

    Raises:
        ValueError: It is not JSON, nested more deeply than `_DEEPEST`, or of more than `_MOST_VALUES`.
    """
    text = text.strip(" \t\r\n")
    if len(text) > _MOST_VALUES and sum(map(text.count, ",[{")) > _MOST_VALUES:
        raise ValueError("too many values")
    try:
        value, end = _DECODER.raw_decode(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if end != len(text):
        raise ValueError("more than one value")
    if text.count("[") + text.count("{") > _DEEPEST and is_too_deep(value):
        raise ValueError("nested too deeply")
    return value


def parse_answer(body: str) -> Any:
    """Return the value of a body that is one answer.

    Raises:
        ValueError: It is several, or none.
    """
    value = parse_json(body)
    if isinstance(value, list):
        raise ValueError("an array")  # noqa: TRY004 - callers read several values otherwise
    return value


def _says(line: str) -> bool:
    line = line.strip().lower()
    return line not in _SILENT_LINES and not line.startswith(":")


def _object(text: str) -> dict[str, Any] | None:
    """Return the object that a text is as JSON; None if it is none."""
    try:
        value = parse_json(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def is_too_deep(value: Any) -> bool:
    """Return whether lists and objects nest more deeply than `_DEEPEST`."""
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(_DEEPEST):
        inner = [node.values() if isinstance(node, dict) else node for node in level]
        level = [child for nodes in inner for child in nodes if isinstance(child, dict | list)]
        if not level:
            return False
    return True


def describe_other_body(expected: str, body: str) -> str:
    """Return what was expected of a server, and what it answered instead."""
    begins = body[:1000].lower()
    what, advice = "something else", ""
    if "<html" in begins or "<!doctype" in begins:
        what = "an HTML page"
    elif _object(body.strip().split("\n")[0]):
        what = (
            "lines of JSON instead of server-sent events (NDJSON)"
            if "\n" in body.strip()
            else "JSON of another form"
        )
        if _OLLAMA.search(body[:1000]):
            advice = " This is Ollama's own form; its OpenAI-compatible API is at /v1."
    words = one_line(without_data(body[:2000])[:120])
    return f"Expected {expected}, but the server answered with {what}: {words!r}.{advice}"


# Content that a server sends under a key, in a line or in an event that nobody knows: reported, not dropped. Pure.


NO_EVENT = "a line that is no event"
"""Name of what stands in a stream and is not an event."""

_MOST_NAMES = 10
"""Names that a notice has."""
_NAME_LENGTH = 80
"""Characters of a name that it shows."""
_MOST_SPOKEN = 100
"""Sentences of a server that are known, so that each is told once; some repeat theirs in each event."""
_SHOWN = 300
"""Characters of the content under one name that are shown."""
_KEPT = 4 * _SHOWN
"""Characters that are kept of it: what is shown is cut at a word, without data of images."""


WORDY = frozenset(
    (
        "warning",
        "warnings",
        "message",
        "messages",
        "notice",
        "detail",
        "details",
        "msg",
        "info",
        "text",
        "content",
        "delta",
        "tool_calls",
        "function_call",
        "output",
        "outputs",
        "response",
        "answer",
        "data",
        "result",
        "results",
        "parts",
        "candidates",
        "generations",
        "predictions",
        "images",
        "image",
        "artifacts",
        "completion",
        "generated_text",
    )
)
"""Unknown keys whose value is shown even if it is one word."""


_PROSE = re.compile(r"[^\W\d_]{2}\s+[^\W\d_]{2}|[\u3040-\u30ff\u4e00-\u9fff]{2}")


def is_spoken(key: str, value: Any) -> bool:
    """Return whether a value under a key that nobody knows is meant for a person: most is not."""
    return key in WORDY or bool(_PROSE.search(content_words(value)))


class UnknownContent:
    """Collects content under names that nobody knows, for one notice a name."""

    def __init__(self) -> None:
        self._words: dict[str, list[str]] = {}
        self._sizes: dict[str, int] = {}
        self._spoken: set[tuple[str, str]] = set()
        self._others = 0

    def add(self, name: str, value: Any) -> None:
        """Keep what a value says; a value without any text is not content."""
        words = content_words(value)
        if not words:
            return
        name = shown_name(name)
        if name not in self._words and len(self._words) == _MOST_NAMES:
            self._others += 1
            return
        left = _KEPT - self._sizes.get(name, 0)
        if left > 0:
            self._words.setdefault(name, []).append(words[:left])
            self._sizes[name] = self._sizes.get(name, 0) + len(words)

    def add_spoken(self, values: dict[str, Any], known: frozenset[str]) -> None:
        """Keep what the keys that are not known say to a person, once: an object comes again when it is complete."""
        for key in sorted(values.keys() - known):
            if is_spoken(key, values[key]):
                said = key, content_words(values[key])[:_SHOWN]
                if said not in self._spoken and len(self._spoken) < _MOST_SPOKEN:
                    self._spoken.add(said)
                    self.add(key, values[key])

    def take(self) -> Iterator[Notice]:
        """Yield the notices, once."""
        words, others = self._words, self._others
        self._words, self._sizes, self._others = {}, {}, 0
        for name, pieces in words.items():
            lead = f"The server sent `{name}`, which msgbook cannot show as part of the answer: "
            yield Notice(lead + quoted("".join(pieces)), "warning")
        if others:
            yield Notice(f"The server sent more that msgbook does not know: {others:,}.", "warning")


def content_words(value: Any) -> str:
    """Return a text, or a value that holds one as JSON; empty for a value that says nothing."""
    if isinstance(value, str):
        return value if value.strip() else ""
    if not isinstance(value, dict | list) or is_too_deep(value) or not _has_text(value):
        return ""
    return json.dumps(value, ensure_ascii=False)


def shown_name(name: str) -> str:
    """Return a name of a server on one line, bounded, to stand in backticks."""
    return visible(one_line(name, _NAME_LENGTH)).replace("`", "'")


def quoted(words: str) -> str:
    """Return the words of a server in quotation marks, on one line, bounded."""
    return f"“{visible(excerpt(without_data(words, ended=False), _SHOWN))}”"


def _has_text(value: Any) -> bool:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return any(map(_has_text, value))
    return isinstance(value, str) and bool(value.strip())
