"""The output of a running tool: made readable, bounded, shown piece by piece."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable

START_LIMIT = 10_000_000
"""Bytes of an output that are kept from its start. A single character may make it four times as
large in memory, where it is redacted and cut in copies."""

TAIL = 10_000
"""Characters that are kept from the end of a longer output."""

PIECE_INTERVAL = 0.05
"""Seconds between two flushes of an output that is shown while it grows."""

_PIECE_LIMIT = 20_000
"""Most characters of a piece. Nobody reads more at once, and the result has everything."""

_LINE_LIMIT = 8_192
"""Characters after which a line is final: a later carriage return does not overwrite it."""

_ESCAPE = re.compile(
    r"\x1b(?:\[[0-?]*+[ -/]*+(?:[@-~]|(?!\Z))"
    r"|[\]PX^_][^\x07\x1b\r\n]*+(?:\x07|\x1b\\|(?=\x1b[^\\]|[\r\n]))"
    r"|(?![\[\]PX^_])[ -/]*+(?:[0-~]|(?!\Z)))"
)
"""A control sequence of ECMA-48, a control string, or another escape; also one that breaks off, but
not at the end of the text, where the rest may be still to come."""

_BEGUN = re.compile(
    r"(?<!\r)(?:\r++|\r*+\x1b(?:\[[0-?]*+[ -/]*+|[\]PX^_][^\x07\x1b\r\n]*+\x1b?|[ -/]*+))\Z"
)
"""The end of a piece whose meaning depends on the next piece."""

_BEGUN_LIMIT = 1_000
"""Characters at the end in which a control sequence may have begun. Without a bound, each piece of a flood without an
end would be searched again with all before it."""

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f]")


class TerminalText:
    """Text as a terminal would finally show it: no control sequences, the last state of progress lines."""

    def __init__(self) -> None:
        self._begun = ""
        self.line = ""
        """The last line so far, without its end."""

    def feed(self, text: str) -> str:
        """Add a piece and return the text that is now final, mostly complete lines."""
        text = _CONTROL.sub("", _ESCAPE.sub("", self._begun + text))
        begun = _BEGUN.search(text, max(0, len(text) - _BEGUN_LIMIT))
        self._begun = begun[0] if begun else ""
        text = text[: begun.start()] if begun else text
        return self._settle(text)

    def finish(self) -> str:
        """Return the rest; no more text follows."""
        rest = self._settle(self._begun.replace("\r", "")) + self.line
        self._begun = self.line = ""
        return rest

    def _settle(self, text: str) -> str:
        text = self.line + text.replace("\x1b", "")
        if "\r" in text:
            *ended, last = text.split("\n")
            lines = [line.rstrip("\r").rpartition("\r")[2] for line in ended]
            text = "\n".join([*lines, last.rpartition("\r")[2]])
        final, end, self.line = text.rpartition("\n")
        if len(self.line) > _LINE_LIMIT:
            final, end, self.line = text, "", ""
        return final + end


class Output:
    """Collects an output of any length in bounded memory: its start and its end.

    Args:
        show: Shows another piece; called by `flush` alone.
        limit: Bytes that are kept from the start.
    """

    def __init__(self, show: Callable[[str], None], limit: int = START_LIMIT) -> None:
        self._show = show
        self._limit = limit
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._terminal = TerminalText()
        self._start = bytearray()
        self._tail = ""
        self._left_out = 0
        self._unshown = ""
        self._shown_line = ""
        """The part of the unfinished line that has been shown."""

    def feed(self, data: bytes | str) -> None:
        """Add a piece. Bytes are decoded as UTF-8, with invalid ones replaced."""
        self._keep(
            self._terminal.feed(data if isinstance(data, str) else self._decoder.decode(data))
        )

    def flush(self) -> None:
        """Show the text that has not been shown."""
        line = self._terminal.line
        piece = self._unshown + self._continued(line)
        self._unshown, self._shown_line = "", line
        if piece:
            self._show(piece)

    def finish(self) -> None:
        """Show the rest; no more output follows."""
        rest = self._terminal.feed(self._decoder.decode(b"", final=True)) + self._terminal.finish()
        self._keep(rest)
        self.flush()

    def text(self) -> str:
        """Return the complete output, or start and end of a very long one; call it after `finish`."""
        start = self._start.decode("utf-8", "replace")
        if not self._left_out:
            return start + self._tail
        return f"{start}\n[... {self._left_out} characters were not kept ...]\n{self._tail}"

    def _keep(self, final: str) -> None:
        if not final:
            return
        piece = self._unshown + self._continued(final)
        self._unshown, self._shown_line = piece[-_PIECE_LIMIT:], ""
        if not self._left_out and not self._tail:
            data = final.encode("utf-8", "replace")
            room = self._limit - len(self._start)
            if len(data) <= room:
                self._start += data
                return
            head = data[:room].decode("utf-8", "ignore")
            self._start += head.encode()
            final = final[len(head) :]
        tail = self._tail + final
        self._left_out += max(0, len(tail) - TAIL)
        self._tail = tail[-TAIL:]

    def _continued(self, line: str) -> str:
        """Return what to show of a line after its start, or an older version, was shown."""
        if line.startswith(self._shown_line):
            return line[len(self._shown_line) :]
        return "\n" + line
