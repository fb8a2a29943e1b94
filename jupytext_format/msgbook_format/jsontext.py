"""JSON as message files hold it: equal values give equal text, which UTF-8 can encode."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from json.decoder import scanstring  # type: ignore[attr-defined]  # typed nowhere
from json.encoder import encode_basestring
from typing import Any

MAX_DEPTH = 200
"""Nesting of lists and objects that is read. Functions over values recurse for each level."""

_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
"""A string, or what begins as one and never ends: else each quote in it would be tried in turn."""
_BRACKET = re.compile(r"[\[\]{}]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def needs_json(text: str) -> bool:
    """Return whether `text` holds characters that plain text cannot carry.

    Universal newlines turn CR into LF, NUL makes a file binary for git, and UTF-8 has no lone
    surrogates.
    """
    return (
        "\r" in text
        or "\x00" in text
        or (not text.isascii() and _SURROGATE.search(text) is not None)
    )


def dumps(value: Any) -> str:
    """Return `value` as JSON in one line, with sorted keys; only lone surrogates are escaped.

    NaN and infinities, which Python reads from a notebook but JSON does not have, become null, as
    in JavaScript.
    """
    if isinstance(value, str):
        return dump_string(value)
    if type(value) is int or (type(value) is float and math.isfinite(value)):
        return repr(value)
    return _dumps(value, _LINE.encode)


def dump_string(value: str) -> str:
    """Return what `dumps` does, for a string."""
    text: str = encode_basestring(value)
    return text if text.isascii() else encodable(text)


def dumps_indented(value: Any) -> str:
    """Return what `dumps` does, in lines that are indented by one blank for each level."""
    return _dumps(value, _LINES.encode)


def dumps_spaced(value: Any) -> str:
    """Return what `dumps` does, with a blank after each comma and colon."""
    return _dumps(value, _SPACED.encode)


def _dumps(value: Any, encode: Callable[[Any], str]) -> str:
    try:
        text = encode(value)
    except ValueError:
        text = encode(finite(value))
    return encodable(text)


def encodable(text: str) -> str:
    """Return JSON with its lone surrogates escaped, so that UTF-8 can encode it."""
    if text.isascii():
        return text
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def loads(text: str) -> Any:
    """Return the value of JSON `text`.

    Raises:
        ValueError: `text` is not JSON, is nested too deep, or holds a number that is not finite,
            which no browser reads.
    """
    if is_too_deep(text):
        raise ValueError(f"expected JSON, found it nested deeper than {MAX_DEPTH} levels")
    if text[:1] in ("{", "["):
        value, end = _DECODER.raw_decode(text)
        if end == len(text):
            return value
    return _DECODER.decode(text)


def load_string(text: str) -> str:
    """Return the string in JSON `text`, which begins with a quote.

    Raises:
        ValueError: It holds no string, or more than one.
    """
    value: str
    value, end = scanstring(text, 1)
    if end != len(text):
        raise ValueError(f"expected one JSON string, found more after its character {end}")
    return value


def finite(value: Any) -> Any:
    """Return a value with null in place of NaN and infinities, as in JavaScript."""
    match value:
        case dict():
            return {key: finite(item) for key, item in value.items()}
        case list() | tuple():
            return [finite(item) for item in value]
        case float():
            return value if math.isfinite(value) else None
    return value


def _read_float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"expected a finite number, found {text}")
    return number


def _encoder(indent: int | None, separators: tuple[str, str]) -> json.JSONEncoder:
    return json.JSONEncoder(
        ensure_ascii=False,
        sort_keys=True,
        indent=indent,
        separators=separators,
        allow_nan=False,
    )


_LINE = _encoder(None, (",", ":"))
_LINES = _encoder(1, (",", ": "))
_SPACED = _encoder(None, (", ", ": "))
_DECODER = json.JSONDecoder(parse_float=_read_float, parse_constant=_read_float)


def is_too_deep(text: str) -> bool:
    """Return whether brackets outside of strings nest deeper than `MAX_DEPTH`."""
    if len(text) <= MAX_DEPTH or text.count("[") + text.count("{") <= MAX_DEPTH:
        return False
    depth = 0
    for match in _BRACKET.finditer(_STRING.sub("", text)):
        depth += 1 if match[0] in "[{" else -1
        if depth > MAX_DEPTH:
            return True
    return False


def load_object(text: str) -> dict[str, Any] | None:
    """Return the object in JSON `text`; None if that is not an object or not JSON."""
    try:
        value = loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def is_same(left: Any, right: Any) -> bool:
    """Return whether two JSON values are equal; unlike with `==`, `1`, `1.0` and `True` differ."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(is_same(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(is_same, left, right))
    if isinstance(left, str) and isinstance(right, str):
        return left == right
    return type(left) is type(right) and (left == right or (left != left and right != right))
