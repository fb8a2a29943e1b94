"""The bodies of requests as JSON: a conversation is sent whole with each message, and encoded only where it is new."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from operator import is_
from typing import Any

_CONVERSATIONS = frozenset({"messages", "input"})
"""Keys of a body with a list that grows."""

_JSON = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


class BodyEncoder:
    """Encodes bodies as the SDK does. Items of a conversation that the last one had, too, are not encoded again.

    Nobody may change an item in place.
    """

    def __init__(self) -> None:
        self._last: Sequence[Any] = ()
        """The items of the last body."""
        self._last_encoded: list[bytes] = []

    def encode(self, body: Mapping[str, Any]) -> bytes:
        """Return the JSON of a body."""
        return b"{%b}" % b",".join(
            b"%b:%b" % (_encoded(key), self._encoded(key, value)) for key, value in body.items()
        )

    def _encoded(self, key: str, value: Any) -> bytes:
        is_conversation = key in _CONVERSATIONS and value.__class__ is list
        return b"[%b]" % b",".join(self._items(value)) if is_conversation else _encoded(value)

    def _items(self, items: Sequence[Any]) -> list[bytes]:
        is_longer = len(items) >= len(self._last) and all(map(is_, self._last, items))
        if is_longer:
            encoded = [*self._last_encoded, *map(_encoded, items[len(self._last) :])]
        else:
            known = dict(zip(map(id, self._last), self._last_encoded, strict=True))
            encoded = [known.get(id(item)) or _encoded(item) for item in items]
        self._last, self._last_encoded = list(items), encoded
        return encoded


def _encoded(value: Any) -> bytes:
    return _JSON.encode(value).encode()
