"""JSON as it stands in a message file: one text for equal values, safe to encode as UTF-8."""

from __future__ import annotations

import json
import re
from typing import Any

UNSAFE = re.compile("[\r\x00\ud800-\udfff]")
"""What plain text cannot carry: universal newlines turn CR into LF, NUL makes a file binary for
git, and a lone surrogate has no UTF-8."""

MAX_DEPTH = 200
"""Nesting of lists and objects that is read; what walks over values recurses for each level."""

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_BRACKET = re.compile(r"[\[\]{}]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def dumps(value: Any, indent: int | None = None) -> str:
    """`value` as JSON with sorted keys, readable except for what UTF-8 cannot hold."""
    separators = (",", ":") if indent is None else (",", ": ")
    text = json.dumps(
        value, ensure_ascii=False, sort_keys=True, indent=indent, separators=separators
    )
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def loads(text: str) -> Any:
    """The value of JSON `text`.

    Raises:
        ValueError: `text` is not JSON, or is nested too deep to read.
    """
    if is_too_deep(text):
        raise ValueError(f"expected JSON, found it nested deeper than {MAX_DEPTH} levels")
    return json.loads(text)


def is_too_deep(text: str) -> bool:
    """Whether brackets outside of double quotes nest deeper than `MAX_DEPTH`."""
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return False
    depth = 0
    for match in _BRACKET.finditer(_STRING.sub("", text)):
        depth += 1 if match[0] in "[{" else -1
        if depth > MAX_DEPTH:
            return True
    return False


def load_object(text: str) -> dict[str, Any] | None:
    """The object that JSON `text` holds; None when it is no object or no JSON."""
    try:
        value = loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def same(left: Any, right: Any) -> bool:
    """Whether two JSON values are equal: unlike `==`, `1`, `1.0` and `True` differ."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, str) and isinstance(right, str):
        return left == right
    return type(left) is type(right) and (left == right or (left != left and right != right))
