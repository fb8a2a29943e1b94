"""Text whose bytes are not those of ASCII or look like nothing else: UTF-16 and UTF-32 without a mark, and encodings in 7 bits. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

_SAMPLE = 4096
"""Characters that are looked at."""
_LEAST = 0.95
"""Part of a text that has to be of the usual characters."""
_LEAST_COMMON = 0.75
"""Part of its ideographs and syllables that have to be common ones; of any two bytes a fifth are."""

_LEAST_ALONE = 6
"""Characters of a text without any ASCII."""
_LEAST_LETTERS = 0.75

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


def _decoded(data: bytes, codec: str) -> str | None:
    try:
        return data.decode(codec)
    except UnicodeError:
        return None


def _is_reversible(text: str, codec: str, data: bytes) -> bool:
    try:
        return text.encode(codec) == data
    except UnicodeError:
        return False


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
