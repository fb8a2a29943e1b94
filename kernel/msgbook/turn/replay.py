"""The messages that a turn's blocks become in later requests. Pure; accepts malformed blocks."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from msgbook import messages
from msgbook.events import REASONING_FIELD
from msgbook.messages import CONTENT_BLOCKS, OUTPUT_ITEMS, Message
from msgbook.turn.call_results import stopped_call_result
from msgbook.turn.content_blocks import echoed_blocks, is_server_block
from msgbook.turn.server_data import ITEM_TEXTS, echoed_items, repair_block, repair_extra
from msgbook_format.turn import (
    REASONINGS,
    TOOL_RESULTS,
    Block,
    answer_text,
    is_finished_call,
    match_results,
    step_positions,
)


def turn_messages(blocks: Iterable[Block], *, reasoning: bool = False) -> list[Message]:
    """Return the assistant and tool messages of a turn's blocks, step by step.

    A result without a call follows its step as a user message that begins `[tool] `.

    Args:
        reasoning: Give the server its reasoning back, with signatures. Right within a turn.
    """
    repaired = list(map(repair_block, blocks))
    if reasoning:
        repaired = list(map(repair_extra, repaired))
    results = match_results(repaired)
    matched = set(results.values())
    sent: list[Message] = []
    for step in step_positions(repaired):
        sent += _step_messages(repaired, step, results, reasoning)
        for position in step:
            if repaired[position] in TOOL_RESULTS and position not in matched:
                sent.append(_result_without_call(repaired[position]))
    return sent


def _step_messages(
    blocks: Sequence[Block], step: list[int], results: dict[int, int], reasoning: bool
) -> list[Message]:
    calls: list[dict[str, Any]] = []
    answers: list[Message] = []
    ids: dict[int, str] = {}
    for place, position in enumerate(step):
        block = blocks[position]
        if not is_finished_call(block):
            continue
        call_id = _unused_id(str(block.get("id") or "call"), ids.values())
        ids[place] = call_id
        call = messages.tool_call(call_id, block.get("name", ""), block.get("arguments", ""))
        calls.append(call | block.get("extra", {}).get("call", {}) if reasoning else call)
        result = results.get(position)
        content = (
            stopped_call_result(block) if result is None else blocks[result].get("content", "")
        )
        answers.append(messages.tool_result(call_id, content))
    own = [blocks[position] for position in step]
    text = answer_text(own)
    # Some servers refuse a text of nothing but white space.
    if not text.strip():
        text = ""
    has_items = reasoning and any("item" in block.get("extra", {}) for block in own)
    content = echoed_blocks(own, ids) if has_items else []
    if not text and not calls and not any(map(is_server_block, content)):
        return []
    message = messages.assistant(text or None, calls)
    if reasoning:
        items = echoed_items(own, ids) if has_items else []
        message |= _reasoning_keys(own) | ({OUTPUT_ITEMS: items} if items else {})
        message |= {CONTENT_BLOCKS: content} if content else {}
    return [message, *answers]


def _unused_id(call_id: str, ids: Collection[str]) -> str:
    """Return the id, or a variant of it if another call of the same message has it."""
    name, number = call_id, len(ids)
    while name in ids:
        number += 1
        name = f"{call_id}-{number}"
    return name


def _result_without_call(block: Block) -> Message:
    return messages.user(messages.with_text_before(block.get("content", ""), "[tool]", " "))


def _reasoning_keys(blocks: list[Block]) -> Message:
    """Return the message keys that give a server its reasoning back, as it sent it.

    Signed details contain all of the reasoning, so its plain text is not sent beside them. What came as
    an output item goes back as one.
    """
    fields: dict[str, list[str]] = {}
    for block in blocks:
        extra = block.get("extra", {})
        if "reasoning_details" in extra:
            return {"reasoning_details": extra["reasoning_details"]}
        if block in REASONINGS:
            field = extra.get("field", REASONING_FIELD)
            fields.setdefault(field, []).append(block.get("text", ""))
    return {
        field: "".join(texts)
        for field, texts in fields.items()
        if field and field not in ITEM_TEXTS and any(texts)
    }
