"""Output items of the Responses API as a server wants them back within the turn, in order of arrival. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgbook_format.turn import Block

ITEM_TEXTS = {"summary": "summary_text", "content": "reasoning_text"}
"""Type of the parts of a reasoning item, by the key that holds them: the `field` of its block."""


def echoed_items(blocks: Sequence[Block], call_ids: dict[int, str]) -> list[dict[str, Any]]:
    """Return the items of a step; none if no block has one.

    The text of a message and the call of a `function_call` stand in the chat message; only their place
    is here, with keys that the server added. Reasoning without an item was cut off or came over another
    API, and is not sent back; neither is reasoning that nothing follows, which servers refuse.

    Args:
        blocks: The step's blocks with repaired `extra`.
        call_ids: Id of each call that is sent, by the position of its block.
    """
    if not any("item" in block.get("extra", {}) for block in blocks):
        return []
    items = list(_items(blocks, call_ids))
    while items and items[-1]["type"] == "reasoning":
        del items[-1]
    return items


def _items(blocks: Sequence[Block], call_ids: dict[int, str]) -> Iterator[dict[str, Any]]:
    has_message = False
    for position, block in enumerate(blocks):
        extra = block.get("extra", {})
        item = extra.get("item")
        match block["type"]:
            case "reasoning" if item is not None:
                yield _reasoning_item(item, extra.get("field"), block.get("text", ""))
            case "text" if block.get("text", "").strip() and not has_message:
                # All texts of a step are one message.
                has_message = True
                yield {"type": "message", **(item or {})}
            case "tool_call" if position in call_ids:
                yield {**(item or {}), "type": "function_call", "call_id": call_ids[position]}
            case "notice" if item is not None:
                yield item
            case "display" if item is not None:
                yield {**item, "result": _image_data(block)}


def _image_data(block: Block) -> str:
    data = block.get("data")
    values = data.items() if isinstance(data, dict) else ()
    found = (v for mime, v in values if mime.startswith("image/") and isinstance(v, str))
    return next(found, "")


def _reasoning_item(item: dict[str, Any], field: Any, text: str) -> dict[str, Any]:
    """Return the item with the texts that its block holds. A `summary` is required, if only an empty one."""
    made = {"summary": [], **item}
    if text and field in ITEM_TEXTS:
        made[field] = [{"type": ITEM_TEXTS[field], "text": text}]
    return made
