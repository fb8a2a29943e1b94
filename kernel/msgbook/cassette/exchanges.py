"""The wire while a cassette is recorded: requests and answers become lines, and streaming is left as it is."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from functools import lru_cache
from itertools import count, pairwise
from typing import Any

from msgbook.cassette.redacted_answer import redact_answer
from msgbook.cassette.request_bodies import BodyChain
from msgbook.config import redact_json
from msgbook.lanes import LANE
from msgbook.provider import Wire

HEADERS = ("content-type", "retry-after", "retry-after-ms", "x-should-retry")
"""Headers of an answer that are kept: those on which depends how it is read and whether it is asked for again."""

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
