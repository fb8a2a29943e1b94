"""Text files: their bytes and their text."""

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
    """Text of a file, and how its bytes encode it."""

    text: str
    codec: str = "utf-8"
    mark: bytes = b""
    """Byte order mark at the beginning."""

    @property
    def note(self) -> str:
        """Encoding and line ends in brackets; empty for plain UTF-8 with LF."""
        words = [] if self.codec == "utf-8" else [f"encoding {self.codec}"]
        words += ["lines end with CRLF"] if "\r\n" in self.text else []
        return f"[{', '.join(words)}]" if words else ""

    @property
    def lines(self) -> str:
        """The text with LF as the only line end."""
        return self.text.replace("\r\n", "\n")

    def split_lines(self) -> list[str]:
        """Return the lines, without their ends."""
        return self.lines.removesuffix("\n").split("\n")

    def encode(self) -> bytes:
        """Return the file's bytes.

        Raises:
            UnicodeEncodeError: The encoding lacks a character of the text.
        """
        return self.mark + self.text.encode(self.codec)

    def with_text(self, text: str) -> TextFile:
        """Return a file with another text in the same encoding, with CRLF if all lines end so."""
        crlf = self.text.count("\r\n")
        if crlf and crlf == self.text.count("\n"):
            text = _LINE_END.sub("\r\n", text)
        return self._replace(text=text)


def is_binary(begin: bytes) -> bool:
    """Return whether a file with this beginning is binary."""
    marked = any(begin.startswith(mark) for mark, _ in _MARKS)
    return not marked and b"\0" in begin


def decode(data: bytes) -> TextFile | None:
    """Return the text of a file; None if it is binary.

    UTF-8 and byte order marks are certain. Otherwise the encoding that the file declares is used if
    it fits, else cp1252 or latin-1.
    """
    for mark, codec in _MARKS:
        if data.startswith(mark):
            try:
                return TextFile(data[len(mark) :].decode(codec), codec, mark)
            except UnicodeDecodeError:
                break
    begin = data[:8192]
    if b"\0" in begin:  # a byte order mark before other data does not count
        return None
    declared = [name.decode("ascii") for name in _DECLARED.findall(data[:1024])[:1]]
    for codec in ("utf-8", *declared, "cp1252", "latin-1"):
        # Only for UTF-8 does decoding show that data is text.
        if codec != "utf-8" and len(begin.translate(None, _CONTROLS)) != len(begin):
            return None
        try:
            text = TextFile(data.decode(codec), codec)
            if codec == "utf-8" or text.encode() == data:
                return text
        except (
            UnicodeError,
            LookupError,
        ):  # LookupError: Python does not know the declared encoding
            continue
    return None


def cut(text: str, limit: int, note: str) -> str:
    """Return at most `limit` characters of complete lines, then the note."""
    if len(text) <= limit:
        return text
    end = text.rfind("\n", 0, limit)
    return f"{text[: end if end > 0 else limit]}\n{note}"
