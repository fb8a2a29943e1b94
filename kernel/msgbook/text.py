"""Texts prepared for messages, files and terminals."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable, Container, Sequence
from functools import lru_cache
from typing import Any

RESULT_LIMIT = 50_000
"""Characters of a tool result or of a cell's output that are sent to a model: about 12,000 tokens."""


def repair_surrogates(text: str) -> str:
    """Join surrogate pairs and replace lone surrogates, which no message and no file can contain."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def one_line(text: str, limit: int = 500) -> str:
    """Return the text on one line, cut to `limit` characters."""
    return " ".join(repair_surrogates(text).split())[:limit]


def excerpt(text: str, limit: int = 500) -> str:
    """Return the text on one line of at most `limit` characters: cut at a word, and then with `…`."""
    line = one_line(text, limit + 1)
    if len(line) <= limit:
        return line
    words = line[:limit].rpartition(" ")[0]
    # Without blanks there is no word to cut at, as in Japanese or in a URL.
    return f"{words if len(words) > limit // 2 else line[: limit - 1]}…"


def text_digest(text: str) -> str:
    """Return a short digest by which a text is known again."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural unless the number is 1: `1,200 lines`."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def sized(number: int) -> str:
    """Return a number of bytes: `160 kB`."""
    return f"{number / 1000:,.0f} kB" if number >= 1000 else f"{number} bytes"


def join_first(names: Sequence[str], limit: int, separator: str = ", ") -> str:
    """Return the first names in one text, with the number of the others: `a, b and 3 more`."""
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return separator.join(names[:limit]) + more


def line_span(first: int, last: int) -> str:
    """Return a name for lines, counted from 1 and both included: `line 2`, `lines 2 to 5`."""
    return f"line {first}" if first == last else f"lines {first} to {last}"


def capped(text: str, limit: int = RESULT_LIMIT) -> str:
    """Return the head and the tail of a text, about `limit` characters in all."""
    if len(text) <= limit:
        return text
    head, tail = text[: limit * 3 // 4], text[-limit // 4 :]
    return f"{head}\n[... {len(text) - limit} characters left out ...]\n{tail}"


_WORD = re.compile("[A-Za-z_$]{1,40}")
"""A key that may be a name of an API or of a schema."""
_SECRET_WORD = 8
"""Characters of a word that can be a secret as a complete key."""


def map_texts(value: Any, change: Callable[[str], str]) -> Any:
    """Return a JSON value with each of its texts changed, and each key that is not a mere name."""
    match value:
        case str():
            return change(value)
        case list():
            return [map_texts(entry, change) for entry in value]
        case dict():
            changed: dict[str, Any] = {}
            for key, entry in value.items():
                changed[changed_key(key, change, changed)] = map_texts(entry, change)
            return changed
    return value


def changed_key(key: str, change: Callable[[str], str], taken: Container[str] = ()) -> str:
    """Return a key of a JSON object as `map_texts` changes it, unlike those that are taken."""
    is_word = _WORD.fullmatch(key)
    if is_word and len(key) < _SECRET_WORD:
        return key
    new = change(key)
    if new == key or (is_word and not (new.startswith("[") and new.endswith("]"))):
        return key
    number, name = 1, new
    while name in taken:
        number += 1
        name = f"{new} {number}"
    return name


_DATA_URL = re.compile(r"(data:[\w/+.-]*(?:;[\w=.-]+)*;base64,)([\w/+=-]*)", re.ASCII)
_SHORT_DATA = 64
"""Characters of base64 that are short enough to show."""


def without_data(text: str, *, ended: bool = True) -> str:
    """Return the text with sizes instead of data in its `data:` URLs: `data:image/png;base64,… (12 kB)`.

    Args:
        ended: False while the text grows. The result for a beginning of the text is then a beginning
            of the result for the whole text.
    """

    def short(found: re.Match[str]) -> str:
        head, data = found.groups()
        if not ended and found.end() == len(text):
            return head
        if len(data) <= _SHORT_DATA:
            return found[0]
        return f"{head}… ({sized(len(data.rstrip('=')) * 3 // 4)})"

    return _DATA_URL.sub(short, text)


_CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff"
    "\U000e0000-\U000e007f]"
)
"""Characters that steer a terminal, end a line, reorder text or hide words, and lone surrogates."""


def controls_visible(text: str) -> str:
    """Return the text as a terminal can show it: controls are written out, as `\\u001b`.

    Lines, tabs, blanks and emoji stay. For a text that a person decides about, use `visible`.
    The page does the same: tests/display/fixtures/visible_characters.json.
    """
    if text.isascii() and text.isprintable():
        return text
    return _CONTROLS.sub(lambda found: _written_out(found[0]), text.replace("\r\n", "\n"))


_UNSEEN = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Zs"}
"""Unicode categories of invisible or misleading characters."""

_BLANKS = (
    {*"\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0"}
    | {*"\ufffc\U00013441\U00013442\U00016fe4\U0001d159"}
    | {chr(number) for number in (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))}
)
"""Letters, marks and symbols that show nothing. Variation selectors can carry any hidden text."""


def visible(text: str, keep: str = "") -> str:
    """Return the text with each invisible or misleading character written out, as `\\u202e`.

    A person who decides about a text has to see all of it.

    Args:
        keep: Characters that stay, such as a newline.
    """
    if text.isascii() and text.isprintable():
        return text
    return text.translate(_spellings(keep))


_KEPT = 10_000
"""Spellings that are kept: more than a language has characters, and less than Unicode's million."""


class _Spellings(dict[int, str | int]):
    """The spelling of each character, by its code point; thousands of spellings are kept."""

    def __missing__(self, number: int) -> str | int:
        char = chr(number)
        shown = number if char == " " or _is_seen(char) else _written_out(char)
        if len(self) < _KEPT:
            self[number] = shown
        return shown


@lru_cache(16)
def _spellings(keep: str) -> _Spellings:
    return _Spellings({ord(char): char for char in keep})


def _is_seen(char: str) -> bool:
    return unicodedata.category(char) not in _UNSEEN and char not in _BLANKS


def _written_out(char: str) -> str:
    short = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(char)
    number = ord(char)
    return short or (f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}")


# Text that arrives in pieces.


class GrowingText:
    """Text that grows at its end.

    A piece of a few characters takes ten times their size. So pieces are joined a few hundred at a
    time; each character is copied twice at most until the text is taken.
    """

    __slots__ = ("_parts", "_pieces", "size")

    _AT_ONCE = 256

    def __init__(self, text: str = "") -> None:
        self._parts = [text] if text else []
        self._pieces: list[str] = []
        self.size = len(text)
        """Number of characters."""

    def add(self, text: str) -> None:
        """Add a piece."""
        if not text:
            return
        self.size += len(text)
        self._pieces.append(text)
        if len(self._pieces) == self._AT_ONCE:
            self._parts.append("".join(self._pieces))
            self._pieces.clear()

    def __str__(self) -> str:
        if self._pieces or len(self._parts) > 1:
            self._parts = ["".join([*self._parts, *self._pieces])]
            self._pieces.clear()
        return self._parts[0] if self._parts else ""

    def take(self) -> str:
        """Return the text, and begin a new one."""
        text = str(self)
        self._parts, self.size = [], 0
        return text
