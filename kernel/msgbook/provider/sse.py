"""Server-sent events, without I/O: bytes in, events out.

Rules: https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream,
with two exceptions: an event that the end of the stream cuts off counts, because servers leave out
the last blank line; and a field `error` is an event of that name (llama.cpp until autumn 2025).
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass

from msgbook.errors import ProviderError

LINE_LIMIT = 16_000_000
"""Most characters of one line, and of the data of one event. An image fits; a line without end does not."""

_LINE_END = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True, slots=True)
class ServerSentEvent:
    """One event of a stream."""

    event: str
    """Name of the event; empty for an unnamed one."""
    data: str


class SSEDecoder:
    """Turns the bytes of one response, cut anywhere, into events.

    `other` keeps the beginning of the lines that are not fields of an event stream: it shows if a
    server answered with an HTML page or a JSON object.
    """

    OTHER_LIMIT = 4_000_000
    """Characters of `other` that are kept; a completion that was not streamed has to fit."""

    def __init__(self) -> None:
        self._utf8 = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self._pieces: list[str] = []
        self._size = 0
        self._held = ""
        self._event = ""
        self._data: list[str] = []
        self._data_size = 0
        self._other: list[str] = []
        self._other_size = 0
        self.is_other_cut = False
        """Whether the last line of `other` has no end."""

    @property
    def other(self) -> str:
        """Beginning of the lines that are not fields of an event stream."""
        return "\n".join(self._other)

    def feed(self, chunk: bytes) -> Iterator[ServerSentEvent]:
        """Yield the events that `chunk` completes.

        Raises:
            ProviderError: A line, or the data of an event, is longer than `LINE_LIMIT`.
        """
        text = self._held + self._utf8.decode(chunk)
        # A carriage return at the very end may be half of a CRLF.
        self._held = "\r" if text.endswith("\r") else ""
        first, *others = _LINE_END.split(text.removesuffix(self._held) if self._held else text)
        self._pieces.append(first)
        self._size += len(first)
        if self._size > LINE_LIMIT:
            raise ProviderError("LineTooLong", "The server sent a line without an end.")
        for line in others:
            yield from self._line("".join(self._pieces))
            self._pieces, self._size = [line], len(line)

    def end(self) -> Iterator[ServerSentEvent]:
        """Yield the events that the end of the stream completes."""
        self._pieces.append(self._utf8.decode(b"", final=True))
        before = len(self._other)
        yield from self._line("".join(self._pieces))
        self.is_other_cut = len(self._other) > before
        yield from self._line("")

    def _line(self, line: str) -> Iterator[ServerSentEvent]:
        if not line:
            if self._data:
                yield ServerSentEvent(self._event, "\n".join(self._data))
            self._event, self._data, self._data_size = "", [], 0
            return
        name, colon, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data" and colon:
            self._data.append(value)
            self._data_size += len(value) + 1
            if self._data_size > LINE_LIMIT:
                raise ProviderError("EventTooLong", "The server sent an event without an end.")
        elif name == "event" and colon:
            self._event = value
        elif not name or name in ("id", "retry"):
            return
        elif name == "error" and colon:
            if self._data:
                yield ServerSentEvent(self._event, "\n".join(self._data))
            self._event, self._data, self._data_size = "error", [value], len(value)
        elif self._event == "error" and self._data and self._data_size + len(line) < LINE_LIMIT:
            # The value may have several lines.
            self._data.append(line)
            self._data_size += len(line) + 1
        elif line == "[DONE]":
            yield ServerSentEvent("", line)
        elif self._other_size < self.OTHER_LIMIT:
            self._other.append(line)
            self._other_size += len(line)
