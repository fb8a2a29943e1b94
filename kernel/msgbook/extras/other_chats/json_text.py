"""JSON and JSON lines of a file of another program. Pure."""

from __future__ import annotations

import codecs
import json
import math
import re
from collections.abc import Collection, Iterator
from typing import Any

from msgbook.errors import MsgbookError
from msgbook_format import jsontext

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""Byte order marks: what PowerShell's `>` writes begins with one."""

MOST_BYTES = 400_000_000
"""Bytes of a text, which takes up to four times as much as a string."""
MOST_VALUES = 15_000_000
"""Commas, colons and brackets of a text: each may stand for a value, which takes up to 100 bytes in memory."""
_MOST_BAD_LINES = 10_000
"""Lines that are not JSON, beyond which a text has no value on each line."""
_MOST_ERRORS = 100
"""Errors in a list, beyond which it is damaged as a whole. To name the line of one takes a while in a long text."""
_BYTE = re.compile("[\udc80-\udcff]")
"""A byte that is no UTF-8, as `surrogateescape` writes it."""
_BLANKS = re.compile(r"[ \t\n\r]*")
_PADDING = "\0" + "".join(filter(str.isspace, map(chr, range(0x3001))))
"""What may stand around JSON: white space, and the zeros that fill up a download which was cut off."""
_FIRST_KEY = re.compile(r'\{\s*("[^"\\]{1,80}")')
_OPENING = 100
"""Characters before an error that may be the beginning of the next item: a text that is not closed ends within it."""
_REMEDY = "Export fewer chats at once"


class BadJsonError(MsgbookError):
    """Text that is not the JSON that was expected; the message names line and column."""


def load(data: bytes, item_keys: Collection[str] = ()) -> tuple[Any, bool]:
    """Return the value of a JSON file, and whether it has a value on each line; these are then in a list.

    The error stands for a line that is not JSON, or for a damaged item of a list, if another one is not.

    Args:
        item_keys: Each item of a list that may be damaged has one of these.

    Raises:
        BadJsonError: It is neither.
    """
    if len(data) > MOST_BYTES:
        raise BadJsonError(
            f"expected at most {MOST_BYTES:,} bytes of JSON, found {len(data):,}. {_REMEDY}"
        )
    if sum(map(data.count, b"[{:,")) > MOST_VALUES:
        raise BadJsonError(
            f"expected JSON of at most {MOST_VALUES:,} values, found more. {_REMEDY}"
        )
    text, bad_byte = _decoded(data)
    if jsontext.is_too_deep(text):
        raise BadJsonError(
            f"expected JSON of at most {jsontext.MAX_DEPTH} levels, found more levels"
        )
    text = text.strip(_PADDING)
    if not text:
        raise BadJsonError("expected JSON, found an empty file")
    try:
        value = _DECODER.decode(text)
        if bad_byte is None:
            return value, False
        is_one_value = True
    except json.JSONDecodeError as error:
        is_one_value = error.msg != "Extra data"
        failure = _named(error, error.lineno)
    failure = bad_byte or failure
    items = list(_items(text, item_keys))
    if any(isinstance(item, dict) for item in items):
        return items, False
    if text.count("\n") > MOST_VALUES:
        raise BadJsonError(f"expected at most {MOST_VALUES:,} lines, found more. {_REMEDY}")
    lines = _lines(text)
    if is_one_value and not any(isinstance(line, dict) and line for line in lines):
        raise failure
    if all(isinstance(line, BadJsonError) for line in lines) or len(lines) < 2:
        raise failure
    return lines, True


def _decoded(data: bytes) -> tuple[str, BadJsonError | None]:
    """Return bytes as text, and the error about the first that are none; they stand in it as `_BYTE` finds them.

    Raises:
        BadJsonError: They are to be UTF-16, and are not: an odd byte moves all that follows.
    """
    codec = next((codec for mark, codec in _MARKS if data.startswith(mark)), "utf-8")
    try:
        return data.decode(codec), None
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        name = "UTF-8" if codec.startswith("utf-8") else "UTF-16"
        failure = BadJsonError(
            f"expected JSON in {name}, found byte 0x{byte:02x} at offset {error.start}"
        )
    if name == "UTF-16":
        raise failure
    return data.decode(codec, "surrogateescape"), failure


def _require_utf8(text: str, start: int, end: int) -> None:
    """Raise `BadJsonError` if a part of a text holds a byte that is no UTF-8."""
    if bad := _BYTE.search(text, start, end):
        byte = ord(bad[0]) - 0xDC00
        raise BadJsonError(
            f"expected JSON in UTF-8, found byte 0x{byte:02x} behind {bad.start():,} characters"
        )


def _lines(text: str) -> list[Any]:
    """Return the value of each line, or the error that it gives; none if too many give one."""
    values, bad = [], 0
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        values.append(_line(line, number))
        bad += isinstance(values[-1], BadJsonError)
        if bad > _MOST_BAD_LINES:
            return []
    return values


def _line(line: str, number: int) -> Any:
    """Return the value of a line, or the error that it gives."""
    try:
        _require_utf8(line, 0, len(line))
        return _DECODER.decode(line)
    except json.JSONDecodeError as error:
        return _named(error, number)
    except BadJsonError as error:
        return error


def _items(text: str, keys: Collection[str]) -> Iterator[Any]:
    """Yield the items of a damaged list, with the error in place of each that is damaged.

    Behind an error, the next item is an object with one of the keys. It begins with the key of the first item, since
    programs write them all alike.
    """
    first = _FIRST_KEY.match(text, _after_blanks(text, 1)) if text[:1] == "[" else None
    if first is None:
        return
    begin = re.compile(rf"\{{\s*{re.escape(first[1])}\s*:")
    at, errors, is_damaged = first.start(), 0, False
    while errors < _MOST_ERRORS:
        try:
            item, end = _DECODER.raw_decode(text, at)
            end = _after_blanks(text, end)
            if text[end : end + 1] not in (",", "]"):
                raise json.JSONDecodeError("Expecting ',' delimiter", text, end)
        except json.JSONDecodeError as error:
            if not is_damaged:
                yield _named(error, error.lineno)
            found = begin.search(text, max(error.pos - _OPENING, at + 1))
            if found is None:
                return
            at, errors, is_damaged = found.start(), errors + 1, True
            continue
        if not is_damaged or (isinstance(item, dict) and not item.keys().isdisjoint(keys)):
            try:
                _require_utf8(text, at, end)
                yield item
            except BadJsonError as error:
                yield error
            is_damaged = False
        if text[end] == "]" and not is_damaged:
            if text[end + 1 :].strip():
                more = json.JSONDecodeError("Extra data", text, end + 1)
                yield _named(more, more.lineno)
            return
        at = _after_blanks(text, end + 1)


def _after_blanks(text: str, at: int) -> int:
    found = _BLANKS.match(text, at)
    return found.end() if found else at


def _named(error: json.JSONDecodeError, line: int) -> BadJsonError:
    return BadJsonError(
        f"expected JSON, found an error in line {line}, column {error.colno}: {error.msg}"
    )


def _number(text: str) -> float | None:
    number = float(text)
    return number if math.isfinite(number) else None


def _whole(text: str) -> int | None:
    return int(text) if len(text) < _MOST_DIGITS else None


_MOST_DIGITS = 4000
"""Digits of a number, of which Python reads at most 4300."""

# What Python writes and JSON does not have, such as `NaN`, is nothing, as in a notebook. Lines in a text need no escape.
_DECODER = json.JSONDecoder(
    strict=False, parse_float=_number, parse_int=_whole, parse_constant=lambda _: None
)
