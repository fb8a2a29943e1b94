"""Requests as what is new in each: most of a request is the one before it. Pure."""

from __future__ import annotations

import hashlib
import json
from typing import Any


def list_key(body: dict[str, Any]) -> str:
    """Return the key of a body's list: `messages` over the chat API, `input` over the Responses API."""
    return "input" if "input" in body else "messages"


class BodyChain:
    """The requests of one lane, one after the other."""

    def __init__(self) -> None:
        self._messages: list[Any] = []
        self._rest: dict[str, Any] | None = None

    def pack(self, body: dict[str, Any]) -> dict[str, Any]:
        """Return a request as what is new in it.

        `kept` messages, or items of `input`, are as in the request before, `new` ones follow; `rest`, all else
        of the body, is left out where it is as before. `key` is that of the list if it is not `messages`.
        `sha256` is that of the complete body.
        """
        name = list_key(body)
        messages: list[Any] = body.get(name, [])
        rest = {key: value for key, value in body.items() if key != name}
        kept = _common(self._messages, messages)
        packed = {"sha256": digest(body), "kept": kept, "new": messages[kept:]}
        if name != "messages":
            packed["key"] = name
        if rest != self._rest:
            packed["rest"] = rest
        self._messages, self._rest = messages, rest
        return packed

    def unpack(self, packed: dict[str, Any]) -> dict[str, Any]:
        """Return the complete body of a packed request.

        Raises:
            ValueError: It does not fit the request before, or its own digest.
        """
        kept = packed["kept"]
        if kept > len(self._messages):
            raise ValueError(
                f"it keeps {kept} messages of the request before, which has {len(self._messages)}"
            )
        messages = [*self._messages[:kept], *packed["new"]]
        rest = packed.get("rest", self._rest)
        body = {**(rest or {}), packed.get("key", "messages"): messages}
        if digest(body) != packed["sha256"]:
            raise ValueError("its sha256 is another one than that of its messages")
        self._messages, self._rest = messages, rest
        return body


def digest(body: dict[str, Any]) -> str:
    """Return the SHA-256 of a body, whatever the order of its keys."""
    return digest_text(json.dumps(body, sort_keys=True, separators=(",", ":")))


def digest_text(text: str) -> str:
    """Return the SHA-256 of a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _common(before: list[Any], now: list[Any]) -> int:
    """Return the number of messages at the beginning that are equal."""
    count = 0
    for old, new in zip(before, now, strict=False):
        if old != new:
            break
        count += 1
    return count
