"""The messages of a request, as the OpenAI-compatible chat API spells them."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from msgbook.text import whole

Message = dict[str, Any]
"""A JSON object with a `role` of `system`, `user`, `assistant` or `tool`."""

Part = dict[str, Any]
"""A content part: `{"type": "text", ...}` or `{"type": "image_url", ...}` (seed 001)."""


def system(content: str) -> Message:
    return {"role": "system", "content": whole(content)}


def user(content: str | list[Part]) -> Message:
    return {"role": "user", "content": _whole_content(content)}


def assistant(content: str | None, tool_calls: list[dict[str, Any]] | None = None) -> Message:
    """An assistant message; `content` may be None only beside `tool_calls`."""
    message: Message = {"role": "assistant", "content": whole(content) if content else None}
    if tool_calls:
        message["tool_calls"] = tool_calls
    return message


def tool_call(call_id: str, name: str, arguments: str) -> dict[str, Any]:
    """One entry of an assistant message's `tool_calls`.

    Args:
        arguments: JSON text. What is no JSON object is wrapped into one, because strict servers
            refuse a history that holds anything else.
    """
    call_id, name, arguments = whole(call_id), whole(name), whole(arguments)
    if not _is_json_object(arguments):
        arguments = (
            json.dumps({"invalid_json": arguments}, ensure_ascii=False) if arguments else "{}"
        )
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def tool_result(call_id: str, content: str | list[Part]) -> Message:
    return {"role": "tool", "tool_call_id": whole(call_id), "content": _whole_content(content)}


def request_hash(messages: list[Message]) -> str:
    """`sha256:` and the digest of the messages as sorted-key JSON without spaces, in UTF-8."""
    text = json.dumps(messages, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def _whole_content(content: str | list[Part]) -> str | list[Part]:
    if isinstance(content, str):
        return whole(content)
    return [{**part, "text": whole(part["text"])} if "text" in part else part for part in content]


def _is_json_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False
