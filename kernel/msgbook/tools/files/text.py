"""Text files: their bytes and their text, in whatever encoding."""

from __future__ import annotations

import codecs
import locale
import re
import unicodedata
from collections.abc import Iterator
from functools import cache
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
_LOST = "\ufffd"
_SEQUENCE = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}"
)
_WHOLE = 3
"""Whole characters beside each broken one that make damaged UTF-8 likelier than another encoding."""
_BYTES_A_NUL = 8
"""Fewer NUL bytes than one in so many are a fault of a text, not the sign of another kind of file."""
_CONTROLS = bytes({*range(32)} - {*b"\t\n\f\r\b\x1b"})
_CONTROL_CHARS = frozenset(map(chr, _CONTROLS))


class TextFile(NamedTuple):
    """Text of a file, and how its bytes encode it."""

    text: str
    codec: str = "utf-8"
    mark: bytes = b""
    """Byte order mark at the beginning."""
    is_guessed: bool = False
    """Whether nothing says that this is the encoding."""
    is_damaged: bool = False
    """Whether some bytes are not text, so that the text has another character in place of each."""

    @property
    def note(self) -> str:
        """Encoding and line ends in brackets; empty for plain UTF-8 with LF."""
        guessed = ", guessed" if self.is_guessed else ""
        words = [] if self.codec == "utf-8" else [f"encoding {self.codec}{guessed}"]
        words += [f"bytes that are not text: {self.text.count(_LOST):,}"] if self.is_damaged else []
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

    def to_last_line(self) -> TextFile:
        """Return the file up to its last whole line."""
        end = max(self.text.rfind("\n"), self.text.rfind("\r")) + 1
        return self._replace(text=self.text[:end] or self.text)

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
    if len(data[:8192].translate(None, _CONTROLS)) != len(data[:8192]):
        whole = data if is_complete else data[: len(data) // 4 * 4]
        if (wide := _wide(whole)) is not None:
            return wide if is_complete else wide.to_last_line()
    if not is_complete:
        data = data[: max(data.rfind(b"\n"), _last_cr(data)) + 1] or data
    begin = data[:8192]
    if b"\0" in begin:  # a byte order mark before other data does not count
        return _without_nuls(data)
    text = _decoded(data, "utf-8", is_complete=is_complete)
    if text is not None:
        return (_shifted(data) if data.isascii() else None) or TextFile(text)
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
    if (wide := _wide(data)) is not None:
        return wide
    # Imported here: most texts are UTF-8.
    from msgbook.tools.files.encodings import guess

    local = _local_codec() if local is None else local
    found = guess(data, local or None)
    candidates = [codec for codec in (found, local, "cp1252", "latin-1") if codec]
    texts = ((codec, _decoded(data, codec)) for codec in candidates)
    codec, text = next((codec, text) for codec, text in texts if text is not None)
    return TextFile(text, codec, is_guessed=True)


def _last_cr(data: bytes) -> int:
    """Return the place of the last CR of lines that end with CR alone; -1 if they do not."""
    return -1 if b"\n" in data else data.rfind(b"\r")


def _shifted(data: bytes) -> TextFile | None:
    """Return the text of an encoding in 7 bits other than ASCII; None if the bytes are none."""
    codec = find_shifted(data)
    text = _decoded(data, codec) if codec else None
    return TextFile(text, codec, is_guessed=True) if codec and text is not None else None


def _wide(data: bytes) -> TextFile | None:
    """Return the text of UTF-16 or UTF-32 without a byte order mark; None if the bytes are none."""
    codec = find_wide(data)
    text = _decoded(data, codec) if codec else None
    if codec is None or text is None or _CONTROL_CHARS.intersection(text[:4096]):
        return None
    return TextFile(text, codec, is_guessed=True)


def _without_nuls(data: bytes) -> TextFile | None:
    """Return a text with a sign in place of each of its few NUL bytes; None if there are many, or it is not text."""
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


# Bytes that are not those of ASCII or look like nothing else: UTF-16 and UTF-32 without a mark, and encodings in 7 bits.


_SAMPLE = 4096
"""Characters that are looked at."""
_LEAST = 0.95
"""Part of a text that has to be of the usual characters."""
_LEAST_COMMON = 0.75
"""Part of its ideographs and syllables that have to be common ones; of any two bytes a fifth are."""

_LEAST_ALONE = 6
"""Characters of a text without any ASCII."""
_LEAST_LETTERS = 0.75
"""Part of such a text that has to be letters."""

_USUAL = re.compile(
    "[\t\n\r -~\u00a1-\u024f\u0370-\u1cff\u1e00-\u1fff\u2c00-\u2dff\ua000-\uabff"
    "\u2010-\u2027\u2030-\u203b\u20a0-\u20bf\u2100-\u214f\u2190-\u2193\u3000-\u31ff\u4e00-\u9fff\uac00-\ud7a3\uff01-\uffee]"
)
_MANY = re.compile("[\u4e00-\u9fff\uac00-\ud7a3]")
"""Ideographs and syllables, of which there are so many that random bytes are some."""
_FIRST_ROWS = {
    "gb2312": (0xB0, 0xD7),
    "big5": (0xA4, 0xC6),
    "euc_jp": (0xB0, 0xCF),
    "euc_kr": (0xB0, 0xC8),
}
"""Rows of the common ones, by the standard."""

_ESCAPES = re.compile(rb"\x1b\$[@-DO()]|\x1b\([A-J]")
_ESCAPED = (
    "iso2022_jp",
    "iso2022_jp_2",
    "iso2022_jp_3",
    "iso2022_jp_2004",
    "iso2022_jp_ext",
    "iso2022_kr",
)
_HZ = re.compile(rb"~\{(?:[!-w][!-~])+~\}")
_UTF7 = re.compile(rb"\+(?:[A-Za-z0-9+/]{3,})-?")


def find_wide(data: bytes) -> str | None:
    """Return the encoding with two or four bytes for a character that some bytes are text in; None for none."""
    if len(data) % 4 == 0 and len(data) >= 8:
        for codec in ("utf-32-le", "utf-32-be"):
            text = _decoded(data, codec)
            if text and _share(text) >= _LEAST and _share_of_common(text) >= _LEAST_COMMON:
                return codec
    if len(data) % 2 or len(data) < 4:
        return None
    shares = {}
    for codec in ("utf-16-le", "utf-16-be"):
        text = _decoded(data, codec)
        if text and _is_likely(text):
            shares[codec] = _share_of_common(text) + _share(text) + text.count(" ") / len(text)
    return max(shares, key=lambda codec: shares[codec]) if shares else None


def find_shifted(data: bytes) -> str | None:
    """Return the encoding of ASCII that is other letters in truth; None for plain ASCII."""
    if _ESCAPES.search(data):
        for codec in _ESCAPED:
            text = _decoded(data, codec)
            if text is not None and not text.isascii():
                return codec
    if _HZ.search(data):
        text = _decoded(data, "hz")
        if text and _is_reversible(text, "hz", data) and _share_of_common(text) >= _LEAST_COMMON:
            return "hz"
    if _UTF7.search(data):
        text = _decoded(data, "utf-7")
        if text and _is_reversible(text, "utf-7", data) and _is_likely(f"{text} "):
            return "utf-7"
    return None


def _is_likely(text: str) -> bool:
    """Return whether a text is one, and not other bytes by chance; without any ASCII that takes more characters."""
    sample = text[:_SAMPLE]
    if not any(char < "\x7f" for char in sample) and not _is_in_other_letters(sample):
        return False
    are_usual = _share(text) >= _LEAST
    return are_usual and _share_of_common(text) >= _LEAST_COMMON and _is_in_one_script(text)


def _is_in_other_letters(text: str) -> bool:
    """Return whether a text without any ASCII is one: nearly all of it letters, and none of them Latin."""
    letters = [char for char in text if char.isalpha()]
    is_latin = any(_script(char) == "LATIN" for char in set(letters))
    return len(text) >= _LEAST_ALONE and len(letters) >= _LEAST_LETTERS * len(text) and not is_latin


def _share(text: str) -> float:
    sample = text[:_SAMPLE]
    return len(_USUAL.findall(sample)) / len(sample)


def _share_of_common(text: str) -> float:
    found = _MANY.findall(text[:_SAMPLE])
    return sum(map(_is_common, found)) / len(found) if found else 1.0


@cache
def _is_common(char: str) -> bool:
    return any(first <= row <= last for row, first, last in _rows(char))


def _rows(char: str) -> Iterator[tuple[int, int, int]]:
    for codec, (first, last) in _FIRST_ROWS.items():
        try:
            yield char.encode(codec)[0], first, last
        except UnicodeEncodeError:
            continue


def _is_in_one_script(text: str) -> bool:
    """Return whether all letters beside ASCII are of one script, as no other bytes are by chance."""
    letters = [char for char in text[:_SAMPLE] if char.isalpha() and not char.isascii()]
    scripts = {_script(char) for char in set(letters)}
    return len(scripts - {"LATIN"}) <= 1 and (
        len(letters) > 1 or scripts == {"LATIN"} or text.isascii()
    )


@cache
def _script(char: str) -> str:
    name = unicodedata.name(char, "?").split()[0]
    return "CJK" if name in ("HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA") else name
