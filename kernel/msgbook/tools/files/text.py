"""Text files: bytes, and the text that they mean."""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # begins with the mark of utf-16-le
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARED = re.compile(rb"(?:coding|charset)\s*[:=]\s*[\"']?([A-Za-z][\w.-]*)", re.IGNORECASE)
_LINE_END = re.compile("\r?\n")
_CONTROLS = bytes({*range(32)} - {*b"\t\n\f\r\b\x1b"})


class TextFile(NamedTuple):
    """What a text file says, and how it is spelled."""

    text: str
    codec: str = "utf-8"
    mark: bytes = b""
    """Byte order mark at the begin."""

    @property
    def note(self) -> str:
        """What a reader of the text does not see, in brackets; empty for plain UTF-8."""
        words = [] if self.codec == "utf-8" else [f"encoding {self.codec}"]
        words += ["lines end with CRLF"] if "\r\n" in self.text else []
        return f"[{', '.join(words)}]" if words else ""

    @property
    def lines(self) -> str:
        """The text with LF as the only line end."""
        return self.text.replace("\r\n", "\n")

    def split_lines(self) -> list[str]:
        """Its lines, without their ends."""
        return self.lines.removesuffix("\n").split("\n")

    def encoded(self) -> bytes:
        """The file's bytes.

        Raises:
            UnicodeEncodeError: The encoding has no such character.
        """
        return self.mark + self.text.encode(self.codec)

    def with_text(self, text: str) -> TextFile:
        """Another text, spelled as this one: with CRLF where all its lines end so."""
        crlf = self.text.count("\r\n")
        if crlf and crlf == self.text.count("\n"):
            text = _LINE_END.sub("\r\n", text)
        return self._replace(text=text)


def is_binary(begin: bytes) -> bool:
    """Whether a file that begins so is no text."""
    marked = any(begin.startswith(mark) for mark, _ in _MARKS)
    return not marked and b"\0" in begin


def decoded(data: bytes) -> TextFile | None:
    """The text of a file; None when it is binary.

    UTF-8 and what has a byte order mark is certain. Else an encoding that the file declares is
    believed if it fits, and what is left is taken for cp1252 or latin-1.
    """
    for mark, codec in _MARKS:
        if data.startswith(mark):
            try:
                return TextFile(data[len(mark) :].decode(codec), codec, mark)
            except UnicodeDecodeError:
                break
    begin = data[:8192]
    if b"\0" in begin:  # a mark in front of what it does not mark is none
        return None
    declared = [name.decode("ascii") for name in _DECLARED.findall(data[:1024])[:1]]
    for codec in ("utf-8", *declared, "cp1252", "latin-1"):
        # Only UTF-8 is told from noise by decoding it.
        if codec != "utf-8" and len(begin.translate(None, _CONTROLS)) != len(begin):
            return None
        try:
            text = TextFile(data.decode(codec), codec)
            if codec == "utf-8" or text.encoded() == data:
                return text
        except (UnicodeError, LookupError):  # LookupError: declared, but none that Python knows
            continue
    return None


def cut(text: str, limit: int, note: str) -> str:
    """At most `limit` characters of whole lines, then the note."""
    if len(text) <= limit:
        return text
    end = text.rfind("\n", 0, limit)
    return f"{text[: end if end > 0 else limit]}\n{note}"
