"""Estimates of the tokens in texts, messages and requests. Pure.

Servers count by each model's own tokenizer, so every number here is approximate.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgbook.messages import Message, content_parts
from msgbook.request.history import History
from msgbook_format.typed import as_list

CHARACTERS_PER_TOKEN = 4
"""Characters of English for a token, as OpenAI says."""
IMAGE_TOKENS = 1000
"""Estimate for one image: servers count by its size, most images as 250 to 1,500."""

DOCUMENT_CHARACTERS_PER_TOKEN = 50
"""Characters of a PDF in Base64 for a token: a page has some 50 kB and a thousand tokens."""

_EAST_ASIAN = bytes(range(0xE3, 0xEE))
"""First bytes in UTF-8 of U+3000 to U+DFFF: kana, ideographs, Hangul."""


def estimate_tokens(messages: Iterable[Message], tools: Sequence[Mapping[str, Any]] = ()) -> int:
    """Return the approximate number of tokens of messages and tool schemas."""
    total = estimate_text_tokens(json.dumps(tools)) if tools else 0
    return total + sum(map(_estimate_message, messages))


def estimate_text_tokens(text: str) -> int:
    """Return the approximate number of tokens: one per East Asian character, one per four others."""
    if text.isascii():
        return -(-len(text) // CHARACTERS_PER_TOKEN)
    data = text.encode("utf-8", "replace")
    east_asian = len(data) - len(data.translate(None, _EAST_ASIAN))
    return east_asian + -(-(len(text) - east_asian) // CHARACTERS_PER_TOKEN)


class MessageTokens:
    """Estimates for the messages of requests, each made once as long as it is sent again."""

    def __init__(self) -> None:
        self._known: dict[bytes, int] = {}
        """By the bytes of the messages of the last request."""

    def of(self, request: History) -> list[int]:
        """Return the approximate tokens of each message."""
        known = self._known
        estimates = [
            known[encoded] if encoded in known else _estimate_message(message)
            for message, encoded in zip(request.messages, request.encoded, strict=True)
        ]
        self._known = dict(zip(request.encoded, estimates, strict=True))
        return estimates


def estimate_cell_tokens(
    request: History, estimates: Iterable[int] | None = None
) -> dict[int, int]:
    """Return the approximate tokens that each cell adds to a request, by the cell's position.

    Args:
        estimates: Those of the messages, if they are known.
    """
    if estimates is None:
        estimates = map(_estimate_message, request.messages)
    tokens: dict[int, int] = {}
    for estimate, owner in zip(estimates, request.owners, strict=True):
        if owner is not None:
            tokens[owner] = tokens.get(owner, 0) + estimate
    return tokens


def _estimate_message(message: Message) -> int:
    calls = message.get("tool_calls")
    call_tokens = estimate_text_tokens(json.dumps(calls, ensure_ascii=False)) if calls else 0
    return _estimate_content(message.get("content")) + call_tokens


def _estimate_content(content: Any) -> int:
    return sum(map(_estimate_part, as_list(content_parts(content))))


def _estimate_part(part: Mapping[str, Any]) -> int:
    match part:
        case {"text": str(text)}:
            return estimate_text_tokens(text)
        case {"type": "file"}:
            return _estimate_document(part)
    return IMAGE_TOKENS


def _estimate_document(part: Mapping[str, Any]) -> int:
    data = len(part["file"].get("file_data", ""))
    return IMAGE_TOKENS + data // DOCUMENT_CHARACTERS_PER_TOKEN
