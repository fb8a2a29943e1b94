"""A turn's blocks as the messages that a model is sent of it. Pure, and total on odd blocks."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, cast

from msgbook import messages
from msgbook.events import REASONING_FIELD
from msgbook.messages import Message
from msgbook.output.record import INTERRUPTED_RESULT
from msgbook_format.turn import Block


def turn_messages(blocks: Iterable[Block], *, reasoning: bool = False) -> list[Message]:
    """The assistant and tool messages of a turn's blocks, step by step.

    Args:
        reasoning: Send the server its reasoning, signatures included, back; right within a turn.
    """
    result: list[Message] = []
    for step in _steps(map(sound_block, blocks)):
        result += _step_messages(step, reasoning)
    return result


def sound_block(block: Block) -> Block:
    """The block with the types that it has to have: a file or a page may say anything."""
    fixed = dict(block)
    step = block.get("step")
    fixed["step"] = step if isinstance(step, int) else 0
    for key in ("text", "id", "name", "arguments"):
        if key in block and not isinstance(fixed[key], str):
            fixed[key] = json.dumps(fixed[key], ensure_ascii=False)
    content = block.get("content", "")
    parts = content if isinstance(content, list) else []
    if not isinstance(content, str) and not (parts and all(map(_is_part, parts))):
        fixed["content"] = json.dumps(content, ensure_ascii=False)
    return cast("Block", fixed)


def _is_part(part: Any) -> bool:
    """Whether it is a content part that servers take (seed 001)."""
    if not isinstance(part, dict):
        return False
    if part.get("type") == "text":
        return isinstance(part.get("text"), str)
    image = part.get("image_url")
    return (
        part.get("type") == "image_url"
        and isinstance(image, dict)
        and isinstance(image.get("url"), str)
    )


def _steps(blocks: Iterable[Block]) -> list[list[Block]]:
    """The blocks of each step, in order of the steps' first blocks."""
    steps: dict[Any, list[Block]] = {}
    for block in blocks:
        steps.setdefault(block.get("step"), []).append(block)
    return list(steps.values())


def _step_messages(blocks: list[Block], reasoning: bool) -> list[Message]:
    calls: list[dict[str, Any]] = []
    results: list[Message] = []
    waiting = [b for b in blocks if b["type"] == "tool_result"]
    for block in blocks:
        if block["type"] != "tool_call" or block.get("unfinished"):
            continue
        call_id = str(block.get("id", ""))
        call = messages.tool_call(call_id, block.get("name", ""), block.get("arguments", ""))
        calls.append(call | block.get("extra", {}).get("call", {}) if reasoning else call)
        answer = next((r for r in waiting if r.get("id") == call_id), None)
        if answer is not None:
            waiting.remove(answer)
        content = answer.get("content", "") if answer is not None else INTERRUPTED_RESULT
        results.append(messages.tool_result(call_id, content))
    text = text_of(blocks)
    if not text and not calls:
        return []
    message = messages.assistant(text or None, calls)
    return [message | _reasoning(blocks) if reasoning else message, *results]


def _reasoning(blocks: list[Block]) -> Message:
    """The keys of a message that give a server its reasoning back, as it sent it.

    Signed details say all that the words say, so that the words need not come beside them.
    """
    fields: dict[str, list[str]] = {}
    for block in blocks:
        extra = block.get("extra", {})
        if "reasoning_details" in extra:
            return {"reasoning_details": extra["reasoning_details"]}
        if block["type"] == "reasoning":
            field = extra.get("field", REASONING_FIELD)
            fields.setdefault(field, []).append(block.get("text", ""))
    return {field: "".join(texts) for field, texts in fields.items() if field and any(texts)}


def text_of(blocks: Iterable[Block]) -> str:
    texts = (b.get("text", "") for b in blocks if b["type"] == "text")
    return "\n\n".join(text for text in texts if text)
