"""Data that a server sends beside text and calls, kept in `extra` of the block that it belongs to. Pure.

The blocks are those of one step, in order of arrival. Each function returns the blocks that the step
gets in addition: usually none.
"""

from __future__ import annotations

from typing import Any, cast

from msgbook.turn.echoed_items import ITEM_TEXTS
from msgbook.turn.item_words import item_words
from msgbook_format.turn import Block, blocks_of_type


def keep_reasoning_details(blocks: list[Block], details: list[dict[str, Any]]) -> None:
    """Keep the details in the step's reasoning, or in its first block if the reasoning is hidden."""
    for block in (blocks_of_type(blocks, "reasoning") or blocks)[:1]:
        _extend(block, reasoning_details=details)


def item_owner(blocks: list[Block], item: dict[str, Any]) -> Block | None:
    """Return the block that the deltas of an output item made; None if there were none.

    An item may be complete only after the next one has begun (OpenRouter).
    """
    match item.get("type"):
        case "reasoning":
            owners = [b for b in blocks_of_type(blocks, "reasoning") if _is_of_item(b)]
        case "message":
            owners = blocks_of_type(blocks, "text")
        case "function_call":
            calls = blocks_of_type(blocks, "tool_call")
            owners = [call for call in calls if call.get("id") == item.get("call_id")]
        case _:
            owners = []
    return owners[-1] if owners and "item" not in owners[-1].get("extra", {}) else None


def keep_item(owner: Block | None, item: dict[str, Any], step: int) -> list[Block]:
    """Keep an output item of the Responses API in its block.

    Reasoning without a block becomes one without text. An item of a type that has no block is a notice
    which says what the server did.
    """
    if owner is not None:
        _extend(owner, item=item)
        return []
    block = _item_notice(item, step)
    if item.get("type") in ("reasoning", "message"):
        kind = "reasoning" if item["type"] == "reasoning" else "text"
        block = {"type": kind, "step": step, "text": ""}
    return [cast("Block", {**block, "extra": {"item": item}})]


def keep_citations(blocks: list[Block], citations: list[dict[str, Any]], step: int) -> list[Block]:
    """Keep citations in the step's last text, or in an empty text if there is none."""
    texts = blocks_of_type(blocks, "text")
    owner = texts[-1] if texts else cast("Block", {"type": "text", "step": step, "text": ""})
    _extend(owner, annotations=[*owner.get("extra", {}).get("annotations", []), *citations])
    return [] if texts else [owner]


def _is_of_item(reasoning: Block) -> bool:
    """Return whether reasoning came as an output item, not under a key of a chat message."""
    return not reasoning.get("text") or reasoning.get("extra", {}).get("field") in ITEM_TEXTS


def _item_notice(item: dict[str, Any], step: int) -> dict[str, Any]:
    return {"type": "notice", "step": step, "level": "info", "text": item_words(item)}


def _extend(block: Block, **keys: Any) -> None:
    block["extra"] = {**block.get("extra", {}), **keys}
