"""The input items of a request, made from its messages one by one. Pure.

What was sent before stays the beginning of what is sent next, so a server's prefix cache holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Any

from msgbook.messages import OUTPUT_ITEMS, Message, Part
from msgbook.provider.call_ids import with_unique_ids

_ID_LENGTH = 64
"""Most characters of a call's id. Other servers make longer ones, and the conversation came from them."""

Item = dict[str, Any]
"""An input item: a message, a call, its output, or what a server wants back."""


def input_items(messages: Iterable[Message]) -> list[Item]:
    """Return the items of messages, none of which is the system message at the beginning.

    No two calls and no two items have the same id, which OpenAI refuses. An item that comes again is left out: a cell may have been
    copied with its answer. Another one goes without the id: some servers give all of theirs one.
    """
    items: list[Item] = []
    known: dict[str, Item] = {}
    for message in with_unique_ids(messages):
        for item in _items(message):
            item_id = str(item.get("id") or "")
            if item_id not in known:
                items.append(item)
            elif known[item_id] != item:
                items.append({key: value for key, value in item.items() if key != "id"})
            if item_id:
                known.setdefault(item_id, item)
    return items


def _items(message: Message) -> Iterator[Item]:
    match message["role"]:
        case "assistant":
            yield from _answer_items(message)
        case "tool":
            yield {
                "type": "function_call_output",
                "call_id": _call_id(message["tool_call_id"]),
                "output": _content(message["content"]),
            }
        case role:
            yield {"role": role, "content": _content(message["content"])}


def _answer_items(message: Message) -> Iterator[Item]:
    """Yield the items of an assistant message, in the order in which the server sent them."""
    # The type may be left out, says OpenAI; llama.cpp refuses an answer without it.
    content = _answer_content(message["content"])
    text = {"type": "message", "role": "assistant", "content": content}
    texts = [text] if message["content"] else []
    calls = {call["id"]: _call_item(call) for call in message.get("tool_calls", ())}
    for item in message.get(OUTPUT_ITEMS, ()):
        if item["type"] == "message":
            yield from ({**item, **text} for text in texts)
            texts = []
        elif item["type"] != "function_call":
            yield item
        elif item["call_id"] in calls:
            yield {**item, **calls.pop(item["call_id"])}
    yield from texts
    yield from calls.values()


def _call_item(call: dict[str, Any]) -> Item:
    """Return the item of a call. It needs no id of its own: nothing is stored that it could name."""
    function = call["function"]
    return {
        "type": "function_call",
        "call_id": _call_id(call["id"]),
        "name": function["name"],
        "arguments": function["arguments"],
    }


def _call_id(call_id: str) -> str:
    """Return the id, or the id that replaces one which is too long in all requests."""
    if len(call_id) <= _ID_LENGTH:
        return call_id
    return f"call_{sha256(call_id.encode(errors='replace')).hexdigest()[:32]}"


def _answer_content(content: str | list[Part] | None) -> str | list[Part]:
    if isinstance(content, list):
        return [{"type": "output_text", "text": part["text"]} for part in content]
    return content or ""


def _content(content: str | list[Part]) -> str | list[Part]:
    return content if isinstance(content, str) else [*map(_part, content)]


def _part(part: Part) -> Part:
    if part["type"] == "text":
        return {"type": "input_text", "text": part["text"]}
    if part["type"] == "file":
        return {"type": "input_file", **part["file"]}
    image = part["image_url"]
    return {"type": "input_image", "image_url": image["url"], "detail": image.get("detail", "auto")}
