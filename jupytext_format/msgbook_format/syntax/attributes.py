"""Type and attributes of a footnote: `[type] key="value" key=bare [key=value] flag`.

All quoting is done here. The lines `%%msg` and `%agent` have the same grammar.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from msgbook_format import jsontext

Value = str | Literal[True]
"""Value of an attribute: its text, or True for a flag."""

Attributes = list[tuple[str, Value]]
"""Keys and values, in the order of the file."""

KEY = re.compile(r'[^\s="\[\]\r]+')

_TYPE = re.compile(r"\[([^\[\]=\n]*)\](?=\s|$)")
_QUOTED = r'"[^"\\]*(?:\\.[^"\\]*)*"'
_TOKEN = re.compile(
    rf'\[([^\s="\[\]]+)=({_QUOTED}|[^\s\]]*)\](?=\s|$)'
    rf'|([^\s="\[\]]+)=({_QUOTED}(?=\s|$)|\S*)'
    r"|(\S+)"
)
_BARE = re.compile(r"[A-Za-z0-9_.:,+-]+")
_CLOSED = re.compile(_QUOTED, re.S)
_SHOWN = 40
"""Characters of a word that a problem quotes."""
_BARE_KEYS = frozenset(
    [
        "alt",
        "attachments",
        "block",
        "blocks",
        "cached_tokens",
        "cell",
        "cells",
        "content",
        "crlf",
        "duration",
        "encoding",
        "eol",
        "escapes",
        "input_tokens",
        "n",
        "nonce",
        "output",
        "output_tokens",
        "reasoning",
        "reasoning_tokens",
        "result_n",
        "role",
        "step",
        "tb",
        "turn_duration",
    ]
)
_CACHED_LENGTH = 80
"""Characters of a head that is cached: long ones hold data and come once."""
_PLAIN_TYPE = re.compile(r"[^\[\]=\s](?:[^\[\]=\n]*[^\[\]=\s])?")


def parse_footnote(text: str) -> tuple[str | None, Attributes] | None:
    """Return type and attributes in the text after `[^id]:`; None if it is prose.

    Without a type it is a footnote of ours only if all of it is `key=value`, so that an author's
    own footnote stays content.
    """
    if len(text) > _CACHED_LENGTH:
        return _parse_footnote(text)
    parsed = _cached_footnote(text)
    return parsed and (parsed[0], parsed[1].copy())


class LineAttributes(NamedTuple):
    """Attributes of a line that holds nothing but `key=value`."""

    values: dict[str, str]
    """First value of each key."""
    problem: str | None
    """Description, with its column from 1, of the first word that cannot be read or is repeated."""


def parse_attributes(line: str, start: int = 0) -> LineAttributes:
    """Return the attributes of a line of a cell from index `start` on.

    The grammar is that of a footnote. Unlike there, a flag, a value that begins with a quote but is
    not a closed one, and a repeated key are a problem.
    """
    values: dict[str, str] = {}
    problem = None
    for match in _TOKEN.finditer(line, start):
        key, token = (match[3], match[4]) if match[3] else (match[1], match[2])
        if not key or _is_badly_quoted(token):
            problem = problem or (
                _problem('KEY=VALUE or KEY="A VALUE WITH SPACES"', match)
                + _advice(line[start : match.start()], token or "")
            )
        elif key in values:
            problem = problem or _problem("each key once", match)
        if key:
            values.setdefault(key, _value(token))
    return LineAttributes(values, problem)


def _problem(expected: str, match: re.Match[str]) -> str:
    return f"column {match.start() + 1}: expected {expected}, found {match[0][:_SHOWN]!r}"


def _advice(before: str, token: str) -> str:
    """Return what to do about a word that cannot be read: the end of a problem, or nothing."""
    if token.startswith("'"):
        return "; use double quotes, not single quotes"
    if before.rstrip().endswith(","):
        return "; a list has no spaces (models=qwen3,o3) or stands in double quotes"
    return ""


def _is_badly_quoted(token: str) -> bool:
    return token.startswith("'") or (token.startswith('"') and not _CLOSED.fullmatch(token))


def format_footnote(type_: str | None, attributes: Iterable[tuple[str, Value]]) -> str:
    """Return the text after `[^id]: ` for a type and attributes; inverse of `parse_footnote`."""
    parts = [] if type_ is None else [f"[{type_}]"]
    for key, value in attributes:
        parts.append(key if value is True else f"{key}={_spell(key, value)}")
    return " ".join(parts)


def _parse_footnote(text: str) -> tuple[str | None, Attributes] | None:
    text = text.strip()
    match = _TYPE.match(text)
    if match:
        return match[1].strip(), _pairs(text[match.end() :])
    pairs = _pairs(text)
    if any(value is True for _, value in pairs):
        return None
    return None, pairs


# Most footnotes of a conversation read alike: `[markdown]`, or a type and one attribute.
_cached_footnote = lru_cache(maxsize=256)(_parse_footnote)


def is_type(text: str) -> bool:
    """Return whether `text` can be the type of a footnote and reads back as itself."""
    return bool(_PLAIN_TYPE.fullmatch(text)) and not jsontext.needs_json(text)


def _pairs(text: str) -> Attributes:
    pairs: Attributes = []
    for bracketed, inner, key, value, flag in _TOKEN.findall(text):
        if key:
            pairs.append((key, _value(value)))
        elif bracketed:
            pairs.append((bracketed, _value(inner)))
        else:
            pairs.append((flag, True))
    return pairs


def _value(token: str) -> str:
    if len(token) < 2 or token[0] != '"' or token[-1] != '"':
        return token
    if "\\" not in token:
        return token[1:-1]
    try:
        return jsontext.load_string(token)
    except ValueError:
        return token[1:-1].replace('\\"', '"')


def _spell(key: str, value: str) -> str:
    if key in _BARE_KEYS and _BARE.fullmatch(value):
        return value
    return jsontext.dump_string(value)


def attributes_from_json(value: object, reserved: frozenset[str]) -> Attributes | None:
    """Return `metadata.msgbook.attrs` as attributes; None if it cannot be written as such.

    Args:
        reserved: Keys that would be read back as something else.
    """
    if not isinstance(value, list) or not value:
        return None
    pairs: Attributes = []
    for item in value:
        if not isinstance(item, (list, tuple)) or len(item) != 2:
            return None
        key, content = item
        if not isinstance(key, str) or key in reserved:
            return None
        if content is True:
            # A flag may be any word: what does not read back as one attribute is one.
            if jsontext.needs_json(key) or _pairs(key) != [(key, True)]:
                return None
        elif not isinstance(content, str) or not KEY.fullmatch(key) or jsontext.needs_json(key):
            return None
        pairs.append((key, content))
    return pairs


# Attributes of a text cell, taken one by one by the code that knows them.


class AttributeReader:
    """Attributes of one text cell, taken one by one; `rest` are those that nobody took."""

    __slots__ = ("_first", "rest")

    def __init__(self, pairs: Attributes) -> None:
        self.rest = list(pairs)
        self._first = dict(reversed(pairs))

    def take(self, key: str) -> str | None:
        """Return the first text value of `key` and remove it from `rest`; None without one.

        Call this once for each key.
        """
        value = self._first.pop(key, None)
        if value is True:
            value = next(
                (text for name, text in self.rest if name == key and text is not True), None
            )
        if value is None or value is True:
            return None
        self.rest.remove((key, value))
        return value

    def take_object(self, key: str) -> dict[str, Any] | None:
        """Return what `take` does, as a JSON object; any other value is put back."""
        text = self.take(key)
        if text is None:
            return None
        value = jsontext.load_object(text)
        if value is None:
            self.put_back(key, text)
        return value

    def take_flag(self, key: str) -> bool:
        """Return whether the flag `key` is set, and remove it from `rest`."""
        if key not in self._first or (key, True) not in self.rest:
            return False
        self.rest.remove((key, True))
        return True

    def put_back(self, key: str, value: str) -> None:
        """Append a taken value to `rest`, because it could not be used; it cannot be taken again."""
        self.rest.append((key, value))
