"""The prompt cache of Anthropic's servers, and what a request costs with it.

A prefix is kept where a block carries `cache_control`, if it has at least 1,024 tokens by a fixed estimate:
one for each four characters of its JSON. A later request reads the longest kept prefix that ends at one of its
own marks or up to twenty blocks before it, writes what is new up to its last mark, and pays the rest in full.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from messages_requests import merged, tokens_of

LEAST_TOKENS = 1024
LOOK_BACK = 20


class _Place(NamedTuple):
    """The end of one block: what stands before it, and whether it is marked."""

    prefix: str
    tokens: int
    ttl: str
    """How long it is kept; empty if it is not marked."""


class PromptCache:
    """What one server has kept."""

    def __init__(self) -> None:
        self._kept: set[str] = set()

    def bill(self, body: dict[str, Any]) -> dict[str, Any]:
        """Return the usage of a request's input, and keep what it marks."""
        places = list(_places(body))
        total = places[-1].tokens if places else 0
        read = written = 0
        marked = [number for number, place in enumerate(places) if place.ttl]
        for number in marked:
            before = places[max(0, number - LOOK_BACK) : number + 1]
            read = max(read, *(place.tokens for place in before if place.prefix in self._kept), 0)
        times = {"5m": 0, "1h": 0}
        for place in (places[number] for number in marked):
            if place.tokens >= LEAST_TOKENS:
                times[place.ttl] += max(0, place.tokens - read - written)
                written = max(written, place.tokens - read)
                self._kept.add(place.prefix)
        return {
            "input_tokens": total - read - written,
            "cache_creation_input_tokens": written,
            "cache_read_input_tokens": read,
            "cache_creation": {f"ephemeral_{ttl}_input_tokens": n for ttl, n in times.items()},
        }


def answer_tokens(content: list[dict[str, Any]]) -> int:
    """Return about how many tokens an answer has."""
    return max(1, tokens_of(content)) if content else 1


def _places(body: dict[str, Any]) -> Iterator[_Place]:
    digest = hashlib.sha256(body["model"].encode())
    tokens = 0
    for block, changes in _blocks(body):
        mark = block.get("cache_control") or {}
        said = json.dumps({key: block[key] for key in block if key != "cache_control"})
        digest.update(f"{said}\0{changes}\0".encode())
        tokens += len(said) // 4
        yield _Place(digest.hexdigest(), tokens, mark.get("ttl", "5m") if mark else "")


def _blocks(body: dict[str, Any]) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield each block in the order in which the server reads it, and what else of the request changes it."""
    for tool in body.get("tools", ()):
        yield tool, "tools"
    system = body.get("system", [])
    for block in [{"type": "text", "text": system}] if isinstance(system, str) else system:
        yield block, "system"
    settings = json.dumps([body.get(key) for key in ("thinking", "tool_choice", "output_config")])
    for role, blocks in merged(body["messages"]):
        for block in blocks:
            yield block, role + settings
