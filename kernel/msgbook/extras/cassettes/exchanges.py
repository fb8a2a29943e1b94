"""Records HTTP traffic to a cassette without disturbing the stream."""

from __future__ import annotations

import hashlib
import json
import re
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import count, pairwise
from typing import Any

from msgbook.config import REDACTED, find_secrets, redact_json
from msgbook.ids import LANE
from msgbook.messages import ApiName
from msgbook.provider import Wire
from msgbook_format.typed import as_dict, as_list

HEADERS = ("content-type", "retry-after", "retry-after-ms", "x-should-retry")
"""Response headers that are kept: they decide how an answer is decoded and whether the request is retried."""

_EVENT_END = re.compile(rb"(?:\r\n|\n|\r(?!\n))(?:\r\n|\n|\r(?!\n|\Z))")
"""A line's end and an empty line. A carriage return at the very end may be half of a CRLF."""

WriteLine = Callable[[str, dict[str, Any]], None]
"""Writes a line of a lane, from which its secrets have been removed."""


class RecordingWire(Wire):
    """Writes what is sent, and what is answered when an answer has ended.

    Args:
        secrets: Keys that no line may hold.
        clock: Returns monotonic seconds.
    """

    is_cassette = True

    def __init__(
        self,
        write: WriteLine,
        secrets: Sequence[str],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._write = write
        self._secrets = tuple(secrets)
        self._clock = clock
        self._numbers = count(1)
        self._chains: dict[str, BodyChain] = {}

    async def send(self, request: Any, send: Callable[[], Awaitable[Any]]) -> Any:
        """Send a request and return its response, whose body is recorded while it is read."""
        lane, number, began = LANE.get(), next(self._numbers), self._clock()
        self._write(lane, {"n": number, "request": self._packed(lane, request)})
        try:
            response = await send()
        except Exception as error:
            self._write(lane, {"n": number, "failed": self._failure(error)})
            raise
        kept = {name: response.headers[name] for name in HEADERS if name in response.headers}
        answer = _Answer(response, began, self._clock)

        def written(end: str, error: BaseException | None = None) -> None:
            pieces, times = answer.pieces()
            clean = redact_answer(pieces, self._secrets)
            line = {
                "n": number,
                "status": response.status_code,
                "headers": redact_json(kept, self._secrets),
                "events": [[at, text] for at, text in zip(times, clean, strict=True)],
                "end": end,
            }
            if error is not None:
                line["failed"] = self._failure(error)
            self._write(lane, line)

        if response.is_stream_consumed:
            answer.add(response.content)
            written("eof")
        else:
            http = sys.modules[type(response).__module__.partition(".")[0]]
            response.stream = _listener(http)(response.stream, answer, written)
        return response

    def _packed(self, lane: str, request: Any) -> dict[str, Any]:
        url = request.url
        packed = {"method": request.method, "server": url.host, "path": url.path}
        content = request.content
        if content:
            body = redact_json(json.loads(content), self._secrets)
            packed |= self._chains.setdefault(lane, BodyChain()).pack(body)
        return packed

    def _failure(self, error: BaseException) -> dict[str, str]:
        words = redact_json(str(error), self._secrets)
        return {"type": type(error).__name__, "message": words}


class _Answer:
    """The bytes of an answer and when they came."""

    def __init__(self, response: Any, began: float, clock: Callable[[], float]) -> None:
        self._reads: list[tuple[float, bytes]] = []
        self._began = began
        self._clock = clock
        self._is_stream = "event-stream" in response.headers.get("content-type", "")

    def add(self, data: bytes) -> None:
        """Keep some bytes that have just come."""
        self._reads.append((self._clock(), data))

    def pieces(self) -> tuple[list[str], list[float]]:
        """Return the body, cut at the ends of its events, and the seconds at which each piece was complete."""
        reads = self._reads
        if not self._is_stream:
            reads = [(self._clock(), b"".join(data for _, data in reads))] if reads else []
        texts: list[str] = []
        times: list[float] = []
        open_piece = b""
        for at, data in reads:
            complete, open_piece = _cut(open_piece + data)
            texts += complete
            times += [round(at - self._began, 3)] * len(complete)
        if open_piece:
            texts.append(open_piece.decode("utf-8", "replace"))
            times.append(round(reads[-1][0] - self._began, 3))
        return texts, times


def _cut(data: bytes) -> tuple[list[str], bytes]:
    """Return the complete events at the beginning, and the rest."""
    if b"\r" in data:
        ends = [0, *(found.end() for found in _EVENT_END.finditer(data))]
        events = [data[start:end] for start, end in pairwise(ends)]
        return [event.decode("utf-8", "replace") for event in events], data[ends[-1] :]
    end = data.rfind(b"\n\n")
    if end < 0:
        return [], data
    events_text = data[:end].decode("utf-8", "replace")
    return [f"{event}\n\n" for event in events_text.split("\n\n")], data[end + 2 :]


@lru_cache
def _listener(http: Any) -> Any:
    """Return the class of a body that is kept while it is read.

    Args:
        http: The HTTP library.
    """

    class Listener(http.AsyncByteStream):  # type: ignore[misc]  # one of two libraries
        """A body; `written` is called once, with how it ended."""

        def __init__(self, body: Any, answer: _Answer, written: Callable[..., None]) -> None:
            self._body, self._answer = body, answer
            self._written: Callable[..., None] | None = written

        async def __aiter__(self) -> AsyncIterator[bytes]:
            try:
                async for data in self._body:
                    self._answer.add(data)
                    yield data
            except Exception as error:
                self._end("cut", error)
                raise
            self._end("eof")

        async def aclose(self) -> None:
            self._end("closed")
            await self._body.aclose()

        def _end(self, *end: Any) -> None:
            written, self._written = self._written, None
            if written is not None:
                written(*end)

    return Listener


# Removal of keys from the answer of a server, which may send one in pieces. Pure.


_DATA = re.compile(r"(?<![^\r\n\ufeff])data:[ \t]?([^\r\n]*)(\r\n|\r|\n|\Z)")
"""A line with data. Lines end as in server-sent events, where a mark of byte order may come first."""
_PLACES = ("item_id", "output_index", "index")
"""What an object of an event is about: calls may come side by side."""

Json = dict[str, Any] | list[Any]


def redact_answer(pieces: list[str], secrets: Sequence[str]) -> list[str]:
    """Return the pieces of a body without the secrets, as many as before.

    A secret is found in the texts that the pieces of its events make together, and in the body. An event is
    written anew only if its text has changed.
    """
    known = tuple(secrets)
    if not known or not pieces:
        return pieces
    events = [_parsed(piece) for piece in pieces]
    texts: dict[tuple[str, ...], list[_Text]] = {}
    for event in events:
        for text in [] if event is None else _texts(event):
            for key in dict.fromkeys([text.names, (*text.names, *text.place)]):
                texts.setdefault(key, []).append(text)
    changed: set[int] = set()
    for same in texts.values():
        parts = [text.value for text in same]
        spans = find_secrets("".join(parts), known)
        if spans:
            for text, part in zip(same, _redact_joined(parts, spans), strict=True):
                if part != text.value:
                    text.put(part)
                    changed.add(id(text.event))
    pieces = [
        _written(piece, event) if id(event) in changed and event is not None else piece
        for piece, event in zip(pieces, events, strict=True)
    ]
    spans = find_secrets("".join(pieces), known)
    return _redact_joined(pieces, spans) if spans else pieces


@dataclass(slots=True)
class _Text:
    """A string in an event."""

    event: Json
    holder: Any
    key: Any
    names: tuple[str, ...]
    """Names of the fields down to it."""
    place: tuple[str, ...]

    @property
    def value(self) -> str:
        return str(self.holder[self.key])

    def put(self, value: str) -> None:
        self.holder[self.key] = value


def _parsed(piece: str) -> Json | None:
    """Return the JSON of a body or of an event; None for none."""
    data = [found[1] for found in _DATA.finditer(piece)]
    try:
        found = json.loads("\n".join(data) if data else piece)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict | list) else None


def _written(piece: str, event: Json) -> str:
    """Return a piece with another event in place of its own."""
    text = json.dumps(event)
    lines = [*_DATA.finditer(piece)]
    if not lines:
        return text
    first, last = lines[0], lines[-1]
    return f"{piece[: first.start()]}data: {text}{last[2]}{piece[last.end() :]}"


def _texts(event: Json) -> Iterator[_Text]:
    """Yield the strings of an event. It is walked with a stack: JSON may be deep."""
    left: list[tuple[Any, tuple[str, ...], tuple[str, ...]]] = [(event, (), ())]
    while left:
        value, names, place = left.pop()
        if isinstance(value, dict):
            place = (*place, *(f"{key}={value[key]}" for key in _PLACES if key in value))
            items: Any = value.items()
        else:
            items = enumerate(value)
        below = []
        for key, item in items:
            path = (*names, key) if isinstance(key, str) else names
            match item:
                case str():
                    yield _Text(event, value, key, path, place)
                case dict() | list():
                    below.append((item, path, place))
        left += reversed(below)


def _redact_joined(pieces: list[str], spans: Sequence[tuple[int, int]]) -> list[str]:
    """Return the pieces of a text without parts of it, which are in order."""
    redacted, start, number = [], 0, 0
    for piece in pieces:
        end, kept, position = start + len(piece), [], start
        while number < len(spans) and spans[number][0] < end:
            first, last = spans[number]
            if first >= start:
                kept += [piece[position - start : first - start], REDACTED]
            position = min(last, end)
            if last > end:
                break
            number += 1
        kept.append(piece[position - start :])
        redacted.append("".join(kept))
        start = end
    return redacted


# Requests as what is new in each: most of a request is the one before it. Pure.


def list_key(body: dict[str, Any]) -> str:
    """Return the key of a body's list: `input` over the Responses API, else `messages`."""
    return "input" if "input" in body else "messages"


def api_of(body: dict[str, Any]) -> ApiName:
    """Return the API of a body, by what each of its requests has."""
    if "input" in body:
        return "responses"
    contents = [as_dict(message).get("content") for message in as_list(body.get("messages"))]
    has_blocks = all(isinstance(content, list) for content in contents)
    return "anthropic" if "max_tokens" in body and has_blocks and contents else "chat"


class BodyChain:
    """The requests of one lane, one after the other."""

    def __init__(self) -> None:
        self._messages: list[Any] = []
        self._rest: dict[str, Any] | None = None

    def pack(self, body: dict[str, Any]) -> dict[str, Any]:
        """Return a request as what is new in it.

        `kept` messages, or items of `input`, are as in the request before, `new` ones follow; `rest`, all else
        of the body, is left out where it is as before. `key` is that of the list if it is not `messages`.
        `sha256` is that of the complete body.
        """
        name = list_key(body)
        messages: list[Any] = body.get(name, [])
        rest = {key: value for key, value in body.items() if key != name}
        kept = _common(self._messages, messages)
        packed = {"sha256": digest(body), "kept": kept, "new": messages[kept:]}
        if name != "messages":
            packed["key"] = name
        if rest != self._rest:
            packed["rest"] = rest
        self._messages, self._rest = messages, rest
        return packed

    def unpack(self, packed: dict[str, Any]) -> dict[str, Any]:
        """Return the complete body of a packed request.

        Raises:
            ValueError: It does not fit the request before, or its own digest.
        """
        kept = packed["kept"]
        if kept > len(self._messages):
            raise ValueError(
                f"it keeps {kept} messages of the request before, which has {len(self._messages)}"
            )
        messages = [*self._messages[:kept], *packed["new"]]
        rest = packed.get("rest", self._rest)
        body = {**(rest or {}), packed.get("key", "messages"): messages}
        if digest(body) != packed["sha256"]:
            raise ValueError("its sha256 is not that of its messages")
        self._messages, self._rest = messages, rest
        return body


def digest(body: dict[str, Any]) -> str:
    """Return the SHA-256 of a body, whatever the order of its keys."""
    return digest_text(json.dumps(body, sort_keys=True, separators=(",", ":")))


def digest_text(text: str) -> str:
    """Return the SHA-256 of a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _common(before: list[Any], now: list[Any]) -> int:
    """Return the number of messages at the beginning that are equal."""
    count = 0
    for old, new in zip(before, now, strict=False):
        if old != new:
            break
        count += 1
    return count
