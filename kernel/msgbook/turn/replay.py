"""A turn's blocks as the messages that a model is sent of it. Pure, and total on odd blocks."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, cast

from msgbook import messages
from msgbook.events import REASONING_FIELD
from msgbook.messages import Message
from msgbook.text import one_line, repair_surrogates
from msgbook.turn.stopped_calls import result_of_stopped
from msgbook_format.turn import Block

_TEXTS = ("text", "id", "name", "arguments", "content")
_REASONING_NAME = re.compile(r"reasoning(?!_details)\w*")
_CALL_KEYS = {"id", "type", "function", "index"}


def turn_messages(blocks: Iterable[Block], *, reasoning: bool = False) -> list[Message]:
    """The assistant and tool messages of a turn's blocks, step by step.

    A result whose call is gone follows its step as a user message that begins `[tool] `.

    Args:
        reasoning: Send the server its reasoning, signatures included, back; right within a turn.
    """
    sound = [sound_block(block) for block in blocks]
    if reasoning:
        sound = list(map(_with_sound_extra, sound))
    results = results_of_calls(sound)
    answered = set(results.values())
    result: list[Message] = []
    for step in _steps(sound):
        result += _step_messages(sound, step, results, reasoning)
        for position in step:
            if sound[position]["type"] == "tool_result" and position not in answered:
                result.append(_orphan(sound[position]))
    return result


def results_of_calls(blocks: Sequence[Block]) -> dict[int, int]:
    """Which result answers which call, by their positions among sound blocks.

    Ids may be used again in another step, so that a result of the call's own step comes first.
    """
    calls = [i for i, block in enumerate(blocks) if _is_sent_call(block)]
    pairs: dict[int, int] = {}
    if not calls:
        return pairs
    free = [i for i, block in enumerate(blocks) if block["type"] == "tool_result"]
    for same_step in (True, False):

        def key(position: int, same_step: bool = same_step) -> Hashable:
            block = blocks[position]
            return (block["step"], block.get("id")) if same_step else block.get("id")

        waiting = defaultdict(list)
        for position in reversed(free):
            waiting[key(position)].append(position)
        for call in calls:
            if call not in pairs and waiting[key(call)]:
                pairs[call] = waiting[key(call)].pop()
        taken = set(pairs.values())
        free = [position for position in free if position not in taken]
    return pairs


def sound_block(block: Block) -> Block:
    """The block with the types that it has to have: a file or a page may say anything."""
    step = block.get("step")
    for key in _TEXTS:
        if key in block and not isinstance(block[key], str):  # type: ignore[literal-required]
            break
    else:
        if isinstance(step, int):
            return block
    fixed = dict(block)
    fixed["step"] = step if isinstance(step, int) else 0
    for key in ("text", "id", "name", "arguments"):
        if key in block and not isinstance(fixed[key], str):
            fixed[key] = _as_text(fixed[key])
    content = block.get("content", "")
    parts = content if isinstance(content, list) else []
    if not isinstance(content, str):
        is_sound = parts and all(map(_is_part, parts))
        fixed["content"] = list(map(_sent_part, parts)) if is_sound else _as_text(content)
    return cast("Block", fixed)


def _with_sound_extra(block: Block) -> Block:
    """The block with no more in its `extra` than reasoning and signatures.

    It is merged into messages and calls, and comes from a server or a file: it must not say who
    speaks, nor which call it is.
    """
    extra: Any = block.get("extra")
    given = extra if isinstance(extra, dict) else {}
    field, details, call = (given.get(key) for key in ("field", "reasoning_details", "call"))
    sound: dict[str, Any] = {}
    if isinstance(field, str) and (not field or _REASONING_NAME.fullmatch(field)):
        sound["field"] = field
    if isinstance(details, list) and details and all(isinstance(one, dict) for one in details):
        sound["reasoning_details"] = details
    if isinstance(call, dict):
        sound["call"] = {key: one for key, one in call.items() if key not in _CALL_KEYS}
    changed: Any = {**block, "extra": _sendable(sound)}
    if block["type"] == "reasoning":
        changed["text"] = repair_surrogates(block.get("text", ""))
    return changed  # type: ignore[no-any-return]  # a block, as the one given


def _sendable(extra: dict[str, Any]) -> Any:
    """As JSON that servers read; nothing where it is none: NaN, halves of characters."""
    try:
        return json.loads(repair_surrogates(json.dumps(extra, ensure_ascii=False, allow_nan=False)))
    except (ValueError, RecursionError):
        return {}


def _as_text(value: Any) -> str:
    """JSON of what should have been a text; nothing for nothing."""
    try:
        return "" if value is None else json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return "(nested too deep)"


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


def _sent_part(part: dict[str, Any]) -> dict[str, Any]:
    """A part with what servers know of it; of an image only its data: a server follows any URL."""
    if part["type"] == "text":
        return {"type": "text", "text": part["text"]}
    url, detail = part["image_url"]["url"], part["image_url"].get("detail")
    if not url.startswith("data:image/"):
        return {"type": "text", "text": f"[image: {one_line(url, 200)}]"}
    known = {"detail": detail} if isinstance(detail, str) else {}
    return {"type": "image_url", "image_url": {"url": url, **known}}


def _is_sent_call(block: Block) -> bool:
    return block["type"] == "tool_call" and not block.get("unfinished")


def _steps(blocks: Sequence[Block]) -> list[list[int]]:
    """The positions of the blocks of each step, in order of the steps' first blocks."""
    steps: dict[int, list[int]] = {}
    for position, block in enumerate(blocks):
        steps.setdefault(block["step"], []).append(position)
    return list(steps.values())


def _step_messages(
    blocks: Sequence[Block], step: list[int], results_of: dict[int, int], reasoning: bool
) -> list[Message]:
    calls: list[dict[str, Any]] = []
    results: list[Message] = []
    ids: set[str] = set()
    for position in step:
        block = blocks[position]
        if not _is_sent_call(block):
            continue
        call_id = _unused(str(block.get("id") or "call"), ids)
        call = messages.tool_call(call_id, block.get("name", ""), block.get("arguments", ""))
        calls.append(call | block.get("extra", {}).get("call", {}) if reasoning else call)
        answer = results_of.get(position)
        content = result_of_stopped(block) if answer is None else blocks[answer].get("content", "")
        results.append(messages.tool_result(call_id, content))
    own = [blocks[position] for position in step]
    text = text_of(own)
    # Some servers refuse a text of nothing but white space.
    if not text.strip():
        text = ""
    if not text and not calls:
        return []
    message = messages.assistant(text or None, calls)
    return [message | _reasoning(own) if reasoning else message, *results]


def _unused(call_id: str, ids: set[str]) -> str:
    """The id, or one like it where another call of the same message has it."""
    name, number = call_id, len(ids)
    while name in ids:
        number += 1
        name = f"{call_id}-{number}"
    ids.add(name)
    return name


def _orphan(block: Block) -> Message:
    content = block.get("content", "")
    if isinstance(content, str):
        return messages.user(f"[tool] {content}")
    return messages.user([{"type": "text", "text": "[tool]"}, *content])


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
