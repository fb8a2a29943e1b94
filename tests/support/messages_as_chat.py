"""A request to Anthropic's Messages API in the form of chat, so that a test looks at all in the same way.

A message whose blocks are texts alone is one message for each: neighbours were merged.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from typing import Any

Message = dict[str, Any]
Block = dict[str, Any]


def messages_as_chat(body: dict[str, Any]) -> list[Message]:
    """Return the messages of a request."""
    found = []
    if system := body.get("system"):
        texts = [system] if isinstance(system, str) else [block["text"] for block in system]
        found.append({"role": "system", "content": "\n\n".join(texts)})
    for message in body["messages"]:
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        made = _answer(blocks) if message["role"] == "assistant" else _of_user(blocks)
        found += made
    return found


def _answer(blocks: list[Block]) -> Iterator[Message]:
    texts = [block["text"] for block in blocks if block["type"] == "text"]
    answer: Message = {"role": "assistant", "content": "".join(texts) if texts else None}
    thoughts = [block["thinking"] for block in blocks if block["type"] == "thinking"]
    if thoughts:
        answer["reasoning_content"] = "".join(thoughts)
    calls = [_call(block) for block in blocks if block["type"] == "tool_use"]
    yield {**answer, "tool_calls": calls} if calls else answer


def _call(block: Block) -> dict[str, Any]:
    function = {"name": block["name"], "arguments": json.dumps(block["input"])}
    return {"id": block["id"], "type": "function", "function": function}


def _of_user(blocks: list[Block]) -> Iterator[Message]:
    is_result = [block["type"] == "tool_result" for block in blocks]
    for block in itertools.compress(blocks, is_result):
        content = block.get("content", "")
        yield {
            "role": "tool",
            "tool_call_id": block["tool_use_id"],
            "content": content if isinstance(content, str) else _parts(content),
        }
    rest = [block for block, skip in zip(blocks, is_result, strict=True) if not skip]
    if all(block["type"] == "text" for block in rest):
        yield from ({"role": "user", "content": block["text"]} for block in rest)
    else:
        yield {"role": "user", "content": _parts(rest)}


def _parts(blocks: list[Block]) -> Any:
    parts = [_part(block) for block in blocks]
    is_one_text = len(parts) == 1 and parts[0]["type"] == "text"
    return parts[0]["text"] if is_one_text else parts


def _part(block: Block) -> dict[str, Any]:
    source = block.get("source", {})
    data = f"data:{source.get('media_type')};base64,{source.get('data')}"
    if block["type"] == "image":
        url = source["url"] if source["type"] == "url" else data
        return {"type": "image_url", "image_url": {"url": url}}
    if block["type"] == "document":
        return {"type": "file", "file": {"filename": block.get("title"), "file_data": data}}
    return {"type": "text", "text": block.get("text", "")}
