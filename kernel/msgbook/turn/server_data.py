"""Data that a server sends beside text and calls, kept in `extra` of the block that it belongs to. Pure.

The blocks are those of one step, in order of arrival. Each function returns the blocks that the step
gets in addition: usually none.
"""

from __future__ import annotations

from typing import Any, cast

from msgbook.text import one_line
from msgbook_format.turn import Block, blocks_of_type


def keep_reasoning_details(blocks: list[Block], details: list[dict[str, Any]]) -> None:
    """Keep the details in the step's reasoning, or in its first block if the reasoning is hidden."""
    for block in (blocks_of_type(blocks, "reasoning") or blocks)[:1]:
        _extend(block, reasoning_details=details)


def keep_item(blocks: list[Block], item: dict[str, Any], step: int) -> list[Block]:
    """Keep an output item of the Responses API in the block that its deltas made.

    Hidden reasoning becomes a block without text. An item of a type that has no block is a notice
    which names it.
    """
    match item.get("type"):
        case "reasoning":
            owners = [block for block in blocks[-1:] if block["type"] == "reasoning"]
            made = {"type": "reasoning", "step": step, "text": ""}
        case "message":
            owners = blocks_of_type(blocks, "text")
            made = {"type": "text", "step": step, "text": ""}
        case "function_call":
            calls = blocks_of_type(blocks, "tool_call")
            owners = [call for call in calls if call.get("id") == item.get("call_id")]
            made = _item_notice(item, step)
        case _:
            owners = []
            made = _item_notice(item, step)
    if owners and "item" not in owners[-1].get("extra", {}):
        _extend(owners[-1], item=item)
        return []
    return [cast("Block", {**made, "extra": {"item": item}})]


def keep_citations(
    blocks: list[Block], annotations: list[dict[str, Any]], step: int
) -> list[Block]:
    """Keep citations in the step's last text, or in an empty text if there is none."""
    texts = blocks_of_type(blocks, "text")
    owner = texts[-1] if texts else cast("Block", {"type": "text", "step": step, "text": ""})
    _extend(owner, annotations=[*owner.get("extra", {}).get("annotations", []), *annotations])
    return [] if texts else [owner]


def _item_notice(item: dict[str, Any], step: int) -> dict[str, Any]:
    text = f"The server sent an item of type `{one_line(str(item.get('type')), 100)}`."
    return {"type": "notice", "step": step, "level": "info", "text": text}


def _extend(block: Block, **keys: Any) -> None:
    block["extra"] = {**block.get("extra", {}), **keys}
