"""Server-sent events, without I/O: bytes in, events out.

Rules: https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream,
with three exceptions: an event that the end of the stream cuts off counts, because servers leave out
the last blank line; an event `done` needs no data; and a field `error` is an event of that name (llama.cpp until autumn 2025).
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import NamedTuple

from msgbook.errors import ProviderError
from msgbook.text import GrowingText

LINE_LIMIT = 16_000_000
"""Most characters of one line, and of the data of one event. An image fits; a line without end does not."""

STRAY = " \t" + "".join(
    map(chr, (*range(9), *range(0xB, 0x20), *range(0x7F, 0xA0), *range(0x200B, 0x2010), 0x2028, 0x2029, 0x2060, 0xFEFF, 0xFFFD))
)  # fmt: skip
"""Characters around a line that nobody sees, such as signs of life and marks of byte order, and what stands for bytes that are no UTF-8."""

_LINE_END = re.compile(r"\r\n|\n|\r")
_WHOLE = re.compile(r"(?:event: ([^\r\n]*)\n)?data: ([^\r\n]*)\n\n")
"""An event as nearly all servers write it."""


class ServerSentEvent(NamedTuple):
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
        self._line_begin = GrowingText()
        self._held = ""
        self._event = ""
        self._data = GrowingText()
        self._has_data = False
        self._other = GrowingText()
        self.is_other_cut = False
        """Whether the last line of `other` has no end."""

    @property
    def is_other_full(self) -> bool:
        """True once there are so many of these lines that no more are kept."""
        return self._other.size >= self.OTHER_LIMIT

    @property
    def other(self) -> str:
        """Beginning of the lines that are not fields of an event stream."""
        return str(self._other).removeprefix("\n")

    def feed(self, chunk: bytes) -> Iterator[ServerSentEvent]:
        """Yield the events that `chunk` completes.

        Raises:
            ProviderError: A line, or the data of an event, is longer than `LINE_LIMIT`.
        """
        text = self._held + self._utf8.decode(chunk)
        if not self._is_within() and len(text) <= LINE_LIMIT:
            at = 0
            while whole := _WHOLE.match(text, at):
                at = whole.end()
                yield ServerSentEvent(whole[1] or "", whole[2])
            text = text[at:]
        # A carriage return at the very end may be half of a CRLF.
        self._held = "\r" if text.endswith("\r") else ""
        first, *others = _LINE_END.split(text.removesuffix(self._held) if self._held else text)
        self._line_begin.add(first)
        if self._line_begin.size > LINE_LIMIT:
            raise ProviderError("LineTooLong", "The server sent a line without an end.")
        if not others:
            return
        lines = [self._line_begin.take(), *others]
        self._line_begin.add(lines.pop())
        for line in lines:
            if (event := self._line(line)) is not None:
                yield event

    def _is_within(self) -> bool:
        return bool(self._line_begin.size or self._event or self._has_data)

    def end(self) -> Iterator[ServerSentEvent]:
        """Yield the events that the end of the stream completes."""
        self._line_begin.add(self._utf8.decode(b"", final=True))
        before = self._other.size
        last = self._line(self._line_begin.take())
        self.is_other_cut = self._other.size > before
        yield from filter(None, (last, self._line("")))

    def _line(self, line: str) -> ServerSentEvent | None:
        """Return the event that a line completes; None if it completes none."""
        if not line:
            return self._take_event()
        if line.startswith("data: "):
            name, colon, value = "data", ":", line[len("data: ") :]
        else:
            line = line.strip(STRAY)
            name, colon, value = line.partition(":")
            name, value = name.strip().lower(), value.removeprefix(" ")
        if name == "data" and colon:
            self._add_data(value)
            if self._data.size > LINE_LIMIT:
                raise ProviderError("EventTooLong", "The server sent an event without an end.")
        elif name == "event" and colon:
            self._event = value
        elif not name or name in ("id", "retry"):
            return None
        elif name == "error" and colon:
            before = self._take_event()
            self._event = "error"
            self._add_data(value)
            return before
        elif self._event == "error" and self._has_data and self._data.size + len(line) < LINE_LIMIT:
            self._add_data(line)  # the value may have several lines
        elif line == "[DONE]":
            return ServerSentEvent("", line)
        elif not self.is_other_full:
            self._other.add("\n")
            self._other.add(line)
        return None

    def _add_data(self, line: str) -> None:
        self._data.add("\n" + line if self._has_data else line)
        self._has_data = True

    def _take_event(self) -> ServerSentEvent | None:
        event = None
        if self._has_data or self._event == "done":
            event = ServerSentEvent(self._event, self._data.take())
        self._event, self._has_data = "", False
        return event
