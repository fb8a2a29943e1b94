"""Text files: their bytes and their text."""

from __future__ import annotations

import codecs
import locale
import re
from typing import NamedTuple

from msgbook.tools.files.encodings import guess

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # begins with the mark of utf-16-le
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARED = re.compile(rb"(?:coding|charset)\s*[:=]\s*[\"']?([A-Za-z][\w.-]*)", re.IGNORECASE)
_LINE_END = re.compile("\r?\n")
_LOST = "\ufffd"
_SEQUENCE = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}"
)
_WHOLE = 3
"""Whole characters beside each broken one that make damaged UTF-8 likelier than another encoding."""
_BYTES_A_NUL = 8
"""Fewer NUL bytes than one in so many are a fault of a text, not the sign of another kind of file."""
_CONTROLS = bytes({*range(32)} - {*b"\t\n\f\r\b\x1b"})


class TextFile(NamedTuple):
    """Text of a file, and how its bytes encode it."""

    text: str
    codec: str = "utf-8"
    mark: bytes = b""
    """Byte order mark at the beginning."""
    is_guessed: bool = False
    """Whether nothing says that this is the encoding."""
    is_damaged: bool = False
    """Whether some bytes are no text, so that the text has another character in place of each."""

    @property
    def note(self) -> str:
        """Encoding and line ends in brackets; empty for plain UTF-8 with LF."""
        guessed = ", guessed" if self.is_guessed else ""
        words = [] if self.codec == "utf-8" else [f"encoding {self.codec}{guessed}"]
        words += [f"bytes that are no text: {self.text.count(_LOST):,}"] if self.is_damaged else []
        words += ["lines end with CRLF"] if "\r\n" in self.text else []
        words += ["lines end with CR"] if self.has_cr_only else []
        return f"[{', '.join(words)}]" if words else ""

    @property
    def has_cr_only(self) -> bool:
        """True if its lines end with CR alone, as old Macs and some instruments write them."""
        return "\r" in self.text and "\n" not in self.text

    @property
    def lines(self) -> str:
        """The text with LF as the only line end."""
        if self.has_cr_only:
            return self.text.replace("\r", "\n")
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
        """Return a file with another text in the same encoding, with CRLF or CR if all lines end so."""
        if self.has_cr_only:
            return self._replace(text=_LINE_END.sub("\r", text))
        crlf = self.text.count("\r\n")
        if crlf and crlf == self.text.count("\n"):
            text = _LINE_END.sub("\r\n", text)
        return self._replace(text=text)


def is_binary(begin: bytes) -> bool:
    """Return whether a file with this beginning is binary."""
    marked = any(begin.startswith(mark) for mark, _ in _MARKS)
    return not marked and b"\0" in begin


def decode(data: bytes, *, is_complete: bool = True, local: str | None = None) -> TextFile | None:
    """Return the text of a file; None if it is binary.

    UTF-8 and byte order marks are certain. Otherwise the encoding that the file declares is used if
    it fits, else the most likely one of the usual East Asian encodings and of those with letters of
    their own, else the one of the user's system, else cp1252 or latin-1.

    Args:
        is_complete: Whether this is a whole file. Else it may end within a character or a line, and
            the text ends with the last whole line.
        local: The encoding of the user's system; None to ask for it.
    """
    for mark, codec in _MARKS:
        if data.startswith(mark):
            text = _decoded(data[len(mark) :], codec, is_complete=is_complete)
            if text is not None:
                return TextFile(text, codec, mark)
            break
    if not is_complete:
        data = data[: max(data.rfind(b"\n"), _last_cr(data)) + 1] or data
    begin = data[:8192]
    if b"\0" in begin:  # a byte order mark before other data does not count
        return _wide(data) or _without_nuls(data)
    text = _decoded(data, "utf-8", is_complete=is_complete)
    if text is not None:
        return TextFile(text)
    # Only for UTF-8 does decoding show that data is text.
    if len(begin.translate(None, _CONTROLS)) != len(begin):
        return None
    declared = [name.decode("ascii") for name in _DECLARED.findall(data[:1024])[:1]]
    for codec in declared:
        text = _decoded(data, codec)
        if text is not None and _is_reversible(text, codec, data):
            return TextFile(text, codec)
    text = data.decode("utf-8", "replace")
    lost = text.count(_LOST) - data.count(_LOST.encode())
    if len(_SEQUENCE.findall(data)) >= _WHOLE * lost:
        return TextFile(text, is_damaged=True)
    local = _local_codec() if local is None else local
    found = guess(data, local or None)
    candidates = [codec for codec in (found, local, "cp1252", "latin-1") if codec]
    texts = ((codec, _decoded(data, codec)) for codec in candidates)
    codec, text = next((codec, text) for codec, text in texts if text is not None)
    return TextFile(text, codec, is_guessed=True)


def _last_cr(data: bytes) -> int:
    """Return the place of the last CR of lines that end with CR alone; -1 if they do not."""
    return -1 if b"\n" in data else data.rfind(b"\r")


def _wide(data: bytes) -> TextFile | None:
    """Return the text of UTF-16 without a byte order mark; None if the bytes are not like one in Latin letters."""
    first, second = data[:8192:2], data[1:8192:2]
    nuls = first.count(0), second.count(0)
    if nuls[0] and nuls[1]:
        return None
    codec = "utf-16-be" if nuls[0] else "utf-16-le"
    text = _decoded(data, codec) if sum(nuls) * 5 >= len(first) * 4 else None
    if text is None or any(ord(char) in _CONTROLS for char in text[:4096]):
        return None
    return TextFile(text, codec, is_guessed=True)


def _without_nuls(data: bytes) -> TextFile | None:
    """Return a text with a sign in place of each of its few NUL bytes; None if there are many, or it is no text."""
    rest = data.replace(b"\0", b"")
    if not (b"\n" in rest or b"\r" in rest) or (len(data) - len(rest)) * _BYTES_A_NUL > len(data):
        return None
    if len(rest[:8192].translate(None, _CONTROLS)) != len(rest[:8192]):
        return None
    text = _decoded(data, "utf-8")
    return None if text is None else TextFile(text.replace("\0", _LOST), is_damaged=True)


def _decoded(data: bytes, codec: str, *, is_complete: bool = True) -> str | None:
    try:
        if is_complete:
            return data.decode(codec)
        text = codecs.getincrementaldecoder(codec)().decode(data)
        end = text.rfind("\n") if "\n" in text else text.rfind("\r")
        return text[: end + 1] or text
    except (UnicodeError, LookupError, ValueError):  # of a declared encoding that is not one
        return None


def _is_reversible(text: str, codec: str, data: bytes) -> bool:
    try:
        return text.encode(codec) == data
    except UnicodeError:
        return False


def _local_codec() -> str:
    """Return the encoding of the user's system; empty if it says nothing."""
    try:
        name = codecs.lookup(locale.getencoding()).name
    except LookupError:
        return ""
    return "" if name in ("utf-8", "ascii", "cp1252", "iso8859-1") else name


def cut(text: str, limit: int, note: str) -> str:
    """Return at most `limit` characters of complete lines, then the note."""
    if len(text) <= limit:
        return text
    end = text.rfind("\n", 0, limit)
    return f"{text[: end if end > 0 else limit]}\n{note}"
