"""The messages of a request of the Messages API, made from those of the chat API one by one. Pure.

User and assistant take turns, so neighbours are merged here, and only here. A message depends on those before it alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Any

from msgbook.messages import CONTENT_BLOCKS, Message, Part, document_name, document_part
from msgbook.provider.anthropic.models import takes_signatures_of
from msgbook.provider.tool_call_pieces import with_unique_ids

Block = dict[str, Any]
"""A content block."""

_EMPTY = "[empty]"
"""Text that stands where the API wants one."""

_OF_SERVER = ("server_tool_use", "mcp_tool_use", "_tool_result")
"""Ends of the types of what the server did itself."""

_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
"""Ids of calls that the API takes. Other servers make others, and the conversation came from them."""

_DATA = re.compile(r"data:([^;,]*)[^,]*;base64,", re.IGNORECASE)


def sent_messages(messages: Iterable[Message], model: str) -> tuple[list[Message], set[int]]:
    """Return the messages of a request, none of which is the system message at the beginning, and the positions of
    those that end what the server is to keep.

    Args:
        model: The model that is asked: another one's signatures are left out.
    """
    sent: list[Message] = []
    prompts: list[int] = []
    for message in with_unique_ids(messages):
        role = "assistant" if message["role"] == "assistant" else "user"
        blocks = [*_blocks(message, model)]
        if not blocks and role == "assistant":
            continue
        blocks = blocks or [_text(_EMPTY)]
        if not sent and role == "assistant":
            sent.append({"role": "user", "content": [_text(_EMPTY)]})
        if sent and sent[-1]["role"] == role:
            sent[-1] = {"role": role, "content": _in_place([*sent[-1]["content"], *blocks])}
        else:
            sent.append({"role": role, "content": _in_place(blocks)})
        if message["role"] not in ("assistant", "tool"):
            prompts.append(len(sent) - 1)
    last = len(sent) - 1
    ends = {last, *[place for place in prompts if place < last][-1:]}
    return sent, {place for place in ends if place >= 0 and sent[place]["role"] == "user"}


def _in_place(blocks: list[Block]) -> list[Block]:
    """Return the blocks of a message without the thinking that the API refuses: it stands first, or after what the server
    did itself.
    """
    if not blocks or is_thought(blocks[0]):
        return blocks
    kept: list[Block] = []
    has_server_block = False
    for block in blocks:
        has_server_block |= block["type"].endswith(_OF_SERVER)
        if has_server_block or not is_thought(block):
            kept.append(block)
    return kept


def _blocks(message: Message, model: str) -> Iterator[Block]:
    match message["role"]:
        case "assistant":
            yield from _answer_blocks(message, model)
        case "tool":
            content = [*_parts(message["content"])]
            yield {
                "type": "tool_result",
                "tool_use_id": _call_id(message["tool_call_id"]),
                **({"content": content} if content else {}),
            }
        case _:
            yield from _parts(message["content"])


def _answer_blocks(message: Message, model: str) -> Iterator[Block]:
    """Yield the blocks of an assistant message, in the order in which the server sent them; calls stand last."""
    calls = {call["id"]: _call(call) for call in message.get("tool_calls", ())}
    said = message["content"]
    texts = [*_parts(said or "")]
    blocks = message.get(CONTENT_BLOCKS, ())
    own = [block["text"] for block in blocks if block["type"] == "text"]
    if "\n\n".join(own) == said:
        texts = [_text(text) for text in own]
    for block in blocks:
        if block["type"] == "text":
            yield from texts[:1]
            del texts[:1]
        elif is_thought(block):
            if takes_signatures_of(block.get("model", ""), model):
                yield {key: value for key, value in block.items() if key != "model"}
        elif block["type"] != "tool_use":
            yield block
    yield from texts
    yield from calls.values()


def is_thought(block: Block) -> bool:
    """Return whether a content block is thinking."""
    return block["type"] in ("thinking", "redacted_thinking")


def as_parts(block: Block) -> list[Part]:
    """Return what a sent block was made of: pictures and documents, those of a result, too."""
    if block["type"] == "tool_result":
        return [part for inner in block.get("content", ()) for part in as_parts(inner)]
    source = block.get("source", {})
    data = f"data:{source.get('media_type')};base64,{source.get('data')}"
    url = source["url"] if source.get("type") == "url" else data
    if block["type"] == "image":
        return [{"type": "image_url", "image_url": {"url": url}}]
    return [document_part(block["title"], url)] if block["type"] == "document" else []


def _call(call: dict[str, Any]) -> Block:
    function = call["function"]
    arguments = json.loads(function["arguments"])
    return {
        "type": "tool_use",
        "id": _call_id(call["id"]),
        "name": function["name"],
        "input": arguments,
    }


def _call_id(call_id: str) -> str:
    """Return the id, or the id that replaces one which the API refuses in all requests."""
    if _ID.fullmatch(call_id):
        return call_id
    return f"toolu_{sha256(call_id.encode(errors='replace')).hexdigest()[:24]}"


def _text(text: str) -> Block:
    return {"type": "text", "text": text}


def _parts(content: str | list[Part]) -> Iterator[Block]:
    """Yield the blocks of a content. The API refuses texts of nothing but white space."""
    for part in [_text(content)] if isinstance(content, str) else content:
        if part["type"] == "image_url":
            yield {"type": "image", "source": _source(part["image_url"]["url"])}
        elif part["type"] == "file":
            source = _source(part["file"].get("file_data", ""))
            yield {"type": "document", "source": source, "title": document_name(part)}
        elif part["text"].strip():
            yield _text(part["text"])


def _source(url: str) -> dict[str, str]:
    """Return the source of a picture or a document: its data, or the URL that the server follows."""
    head = _DATA.match(url)
    if head is None:
        return {"type": "url", "url": url}
    return {"type": "base64", "media_type": head[1].lower(), "data": url[head.end() :]}
