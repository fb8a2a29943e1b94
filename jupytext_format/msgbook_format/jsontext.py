"""JSON as it stands in a message file: one text for equal values, safe to encode as UTF-8."""

from __future__ import annotations

import json
import re
from typing import Any

UNSAFE = re.compile("[\r\x00\ud800-\udfff]")
"""What plain text cannot carry: universal newlines turn CR into LF, NUL makes a file binary for
git, and a lone surrogate has no UTF-8."""

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
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("expected JSON, found one that is nested too deep to read") from None


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
