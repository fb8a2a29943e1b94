"""Blocks repaired for sending: a file or a page may put any value into any key. Pure."""

from __future__ import annotations

import json
import re
from typing import Any, cast

from msgbook.text import one_line, repair_surrogates
from msgbook.turn.echoed_items import ITEM_TEXTS
from msgbook_format.turn import Block, image_url

_TEXT_KEYS = ("text", "id", "name", "arguments")
_REASONING_NAME = re.compile(r"reasoning(?!_details)\w*")
_CALL_KEYS = {"id", "type", "function", "index"}

_ITEM_TYPES = {"reasoning": "reasoning", "text": "message", "tool_call": "function_call"}
"""Type of the output item that a block may hold, by the type of the block."""
_SERVER_ITEMS = {
    "code_interpreter_call",
    "compaction",
    "file_search_call",
    "image_generation_call",
    "mcp_call",
    "mcp_list_tools",
    "web_search_call",
}
"""Types of items that a notice may hold: what a server did itself. None calls a tool of ours, or is a message."""
_FORGING_KEYS = {
    "role",
    "content",
    "summary",
    "status",
    "call_id",
    "name",
    "arguments",
    "input",
    "output",
    "tool_calls",
    "tool_call_id",
    "function",
}
"""Keys that could make an item of reasoning, a message or a call into something else."""


def repair_block(block: Block) -> Block:
    """Return the block with values of the types that `Block` declares; itself if nothing is wrong."""
    step = block.get("step")
    for key in (*_TEXT_KEYS, "content"):
        if key in block and not isinstance(block[key], str):  # type: ignore[literal-required]
            break
    else:
        if isinstance(step, int):
            return block
    repaired = dict(block)
    repaired["step"] = step if isinstance(step, int) else 0
    for key in _TEXT_KEYS:
        if key in block and not isinstance(repaired[key], str):
            repaired[key] = _json_of(repaired[key])
    content = block.get("content", "")
    if not isinstance(content, str):
        parts = content if isinstance(content, list) else []
        can_be_sent = parts and all(map(_is_part, parts))
        repaired["content"] = list(map(_sent_part, parts)) if can_be_sent else _json_of(content)
    return cast("Block", repaired)


def repair_extra(block: Block) -> Block:
    """Return the block with nothing but reasoning and signatures in its `extra`.

    A server or a file wrote `extra`, and it is merged into messages and calls. It must change
    neither the role of a message nor the call that is made.
    """
    extra: Any = block.get("extra")
    given = extra if isinstance(extra, dict) else {}
    field, details, call = (given.get(key) for key in ("field", "reasoning_details", "call"))
    kept: dict[str, Any] = {}
    if isinstance(field, str) and (
        not field or field in ITEM_TEXTS or _REASONING_NAME.fullmatch(field)
    ):
        kept["field"] = field
    if isinstance(details, list) and details and all(isinstance(item, dict) for item in details):
        kept["reasoning_details"] = details
    if isinstance(call, dict):
        kept["call"] = {key: value for key, value in call.items() if key not in _CALL_KEYS}
    if item := _repaired_item(block["type"], given.get("item")):
        kept["item"] = item
    changed: Any = {**block, "extra": _readable_json(kept)}
    if block["type"] == "reasoning":
        changed["text"] = repair_surrogates(block.get("text", ""))
    return changed  # type: ignore[no-any-return]  # a block, as the one given


def _repaired_item(block_type: str, item: Any) -> dict[str, Any]:
    """Return an output item without what could forge a role, a call or a result; empty if it has no place."""
    kind = item.get("type") if isinstance(item, dict) else None
    if not isinstance(kind, str):
        return {}
    is_image = block_type == "display" and kind == "image_generation_call"
    if is_image or (block_type == "notice" and kind in _SERVER_ITEMS):
        forging = {"role", "content", "call_id", "tool_calls", "tool_call_id", "function"}
        return {key: value for key, value in item.items() if key not in forging}
    if kind != _ITEM_TYPES.get(block_type):
        return {}
    kept = {key: value for key, value in item.items() if key not in _FORGING_KEYS}
    if block_type != "reasoning":
        kept.pop("id", None)
        return kept
    for key, part in ITEM_TEXTS.items():
        texts = item.get(key)
        if isinstance(texts, list) and texts and all(_is_text(text, part) for text in texts):
            kept[key] = [{"type": part, "text": text["text"]} for text in texts]
    return kept


def _is_text(part: Any, kind: str) -> bool:
    return isinstance(part, dict) and part.get("type") == kind and isinstance(part.get("text"), str)


def _readable_json(extra: dict[str, Any]) -> Any:
    """Return the value if servers can read it as JSON, with surrogates repaired; else an empty one."""
    try:
        return json.loads(repair_surrogates(json.dumps(extra, ensure_ascii=False, allow_nan=False)))
    except (ValueError, RecursionError):
        return {}


def _json_of(value: Any) -> str:
    try:
        return "" if value is None else json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return "(nested too deep)"


def _is_part(part: Any) -> bool:
    """Return whether the value is text or an image, which servers accept as a content part."""
    if not isinstance(part, dict):
        return False
    if part.get("type") == "text":
        return isinstance(part.get("text"), str)
    return image_url(part) is not None


def _sent_part(part: dict[str, Any]) -> dict[str, Any]:
    """Return the part with the keys that servers know; an image only if its URL holds the data.

    A server follows any other URL.
    """
    if part["type"] == "text":
        return {"type": "text", "text": part["text"]}
    url = image_url(part) or ""
    if not url.startswith("data:image/"):
        return {"type": "text", "text": f"[image: {one_line(url, 200)}]"}
    image = part["image_url"]
    detail = image.get("detail") if isinstance(image, dict) else None
    known = {"detail": detail} if isinstance(detail, str) else {}
    return {"type": "image_url", "image_url": {"url": url, **known}}
