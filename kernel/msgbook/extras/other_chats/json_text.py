"""JSON and JSON lines of a file of another program. Pure."""

from __future__ import annotations

import codecs
import json
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
"""Lines that are no JSON, beyond which a text has no value on each line."""
_REMEDY = "Export fewer chats at once"


class BadJsonError(MsgbookError):
    """Text that is not the JSON that was expected; the message names line and column."""


def load(data: bytes) -> tuple[Any, bool]:
    """Return the value of a JSON file, and whether it has a value on each line; these are then in a list.

    In the list, the error stands for a line that is not JSON, if another one is.

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
    codec = next((codec for mark, codec in _MARKS if data.startswith(mark)), "utf-8")
    try:
        text = data.decode(codec)
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        name = "UTF-8" if codec.startswith("utf-8") else "UTF-16"
        raise BadJsonError(
            f"expected JSON in {name}, found byte 0x{byte:02x} at offset {error.start}"
        ) from None
    if jsontext.is_too_deep(text):
        raise BadJsonError(
            f"expected JSON of at most {jsontext.MAX_DEPTH} levels, found more levels"
        )
    text = text.strip()
    if not text:
        raise BadJsonError("expected JSON, found an empty file")
    try:
        return _load(text), False
    except json.JSONDecodeError as error:
        if text.count("\n") > MOST_VALUES:
            raise BadJsonError(
                f"expected at most {MOST_VALUES:,} lines, found more. {_REMEDY}"
            ) from None
        lines = _lines(text)
        if error.msg != "Extra data" and not any(isinstance(line, dict) and line for line in lines):
            raise _named(error, error.lineno) from None
        if all(isinstance(line, BadJsonError) for line in lines) or len(lines) < 2:
            raise _named(error, error.lineno) from None
    return lines, True


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
        return _load(line)
    except json.JSONDecodeError as error:
        return _named(error, number)
    except BadJsonError as error:
        return BadJsonError(f"line {number}: {error}")


def _named(error: json.JSONDecodeError, line: int) -> BadJsonError:
    return BadJsonError(
        f"expected JSON, found an error in line {line}, column {error.colno}: {error.msg}"
    )


def _load(text: str) -> Any:
    try:
        return jsontext.loads(text)
    except json.JSONDecodeError:
        raise
    except (ValueError, RecursionError):
        # Numbers that are not finite, or of more than 4300 digits, which Python does not read.
        raise BadJsonError("expected JSON, found a number that is too large") from None
