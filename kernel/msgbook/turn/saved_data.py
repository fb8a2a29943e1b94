"""Data that a server sent with a saved turn, without what the reader of a notebook cannot see. Pure.

Anybody may have written the file. Within a turn a server gets all of its data back; later it gets
signatures, encrypted reasoning, and no words but those of the blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from msgbook.text import repair_surrogates
from msgbook_format.turn import Block, blocks_of_type, step_positions

_ITEM_KEYS = {
    "reasoning": {"type", "id", "encrypted_content", "format", "signature"},
    "message": {"type", "phase"},
    "function_call": {"type", "namespace"},
}
"""Keys of an output item that say nothing to a model in words, by the type of the item."""
_DETAIL_KEYS = {"type", "id", "format", "index", "text", "summary", "data", "signature"}
"""Keys of `reasoning_details`."""


def without_unseen(blocks: Sequence[Block]) -> list[Block]:
    """Return the blocks of a saved turn with only such data as a later request may carry.

    What a server did itself (searches, calls of its own tools) is left out, and so is reasoning that only
    led to it: servers refuse reasoning without the item that followed it.
    """
    kept: list[Block] = list(blocks)
    for step in step_positions(blocks):
        thoughts = blocks_of_type([blocks[position] for position in step], "reasoning")
        words = "".join(str(block.get("text", "")) for block in thoughts)
        is_led_to = True
        for position in reversed(step):
            kept[position] = _cut(blocks[position], words, keeps_item=is_led_to)
            kind, extra = blocks[position]["type"], blocks[position].get("extra")
            if kind == "notice" and isinstance(extra, dict) and extra.get("item"):
                is_led_to = False
            elif kind in ("text", "tool_call"):
                is_led_to = True
    return kept


def _cut(block: Block, words: str, *, keeps_item: bool) -> Block:
    """Return a block with only such data.

    Args:
        words: The reasoning of its step.
        keeps_item: False for an item of reasoning whose next item is left out.
    """
    extra: Any = block.get("extra")
    if not isinstance(extra, dict) or not extra.keys() & {"item", "reasoning_details"}:
        return block
    kept = {k: v for k, v in extra.items() if k not in ("item", "reasoning_details")}
    item = _cut_item(extra.get("item"))
    if item and (keeps_item or block["type"] != "reasoning"):
        kept["item"] = item
    if details := _cut_details(extra.get("reasoning_details"), words):
        kept["reasoning_details"] = details
    return cast("Block", {**block, "extra": kept})


def _cut_item(item: Any) -> dict[str, Any]:
    given = item if isinstance(item, dict) else {}
    kind = given.get("type")
    keys = _ITEM_KEYS.get(kind, set()) if isinstance(kind, str) else set()
    return {key: given[key] for key in given if key in keys and isinstance(given[key], str)}


def _cut_details(details: Any, words: str) -> list[dict[str, Any]]:
    """Return signed reasoning if its words are those of the step, or none; else an empty list."""
    given = [one for one in details if isinstance(one, dict)] if isinstance(details, list) else []
    said = [str(one.get(key) or "") for one in given for key in ("text", "summary")]
    if repair_surrogates("".join(said)) not in ("", repair_surrogates(words)):
        return []
    return [{key: one[key] for key in one if key in _DETAIL_KEYS} for one in given]
