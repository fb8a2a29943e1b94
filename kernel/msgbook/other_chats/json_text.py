"""JSON and JSON lines of a file of another program. Pure."""

from __future__ import annotations

import json
from typing import Any

from msgbook.errors import MsgbookError
from msgbook_format import jsontext

_BOM = b"\xef\xbb\xbf"


MOST_BYTES = 400_000_000
"""Bytes of a text, which takes up to four times as much as a string."""
MOST_VALUES = 15_000_000
"""Commas, colons and brackets of a text: each may stand for a value, which takes up to 100 bytes in memory."""
_REMEDY = "Export fewer chats at once"


class BadJsonError(MsgbookError):
    """Text that is not the JSON that was expected; the message names line and column."""


def load(data: bytes) -> tuple[Any, bool]:
    """Return the value of a JSON file, and whether it has a value on each line; these are then in a list.

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
    try:
        text = data.removeprefix(_BOM).decode("utf-8")
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        raise BadJsonError(
            f"expected JSON in UTF-8, found byte 0x{byte:02x} at offset {error.start}"
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
        if error.msg != "Extra data" or "\n" not in text[: error.pos]:
            raise _named(error, error.lineno) from None
    if text.count("\n") > MOST_VALUES:
        raise BadJsonError(
            f"expected at most {MOST_VALUES:,} lines, found more. {_REMEDY}"
        ) from None
    return [_line(line, number) for number, line in _lines(text)], True


def _lines(text: str) -> Any:
    return ((number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip())


def _line(line: str, number: int) -> Any:
    try:
        return _load(line)
    except json.JSONDecodeError as error:
        raise _named(error, number) from None
    except BadJsonError as error:
        raise BadJsonError(f"line {number}: {error}") from None


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
