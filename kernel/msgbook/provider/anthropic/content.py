"""The messages of a request of the Messages API, made from those of the chat API one by one. Pure.

User and assistant take turns, so neighbours are merged here, and only here. A message depends on those before it alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from typing import Any

from msgbook.messages import CONTENT_BLOCKS, Message, Part, document_name, document_part
from msgbook.provider.answer_quirks import repair_json
from msgbook.provider.anthropic.models import takes_signatures_of
from msgbook.provider.tool_call_pieces import with_unique_ids
from msgbook_format.typed import as_dicts

Block = dict[str, Any]
"""A content block."""

_EMPTY = "[empty]"
"""Text that stands where the API wants one."""

_SERVER_CALLS, _SERVER_RESULT = ("server_tool_use", "mcp_tool_use"), "_tool_result"
_OF_SERVER = (*_SERVER_CALLS, _SERVER_RESULT)
"""Types of calls of the server's own tools, the end of the types of their results, and the ends of both."""

_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
"""Ids of calls that the API takes. Other servers make others, and the conversation came from them."""

_JPEG = dict.fromkeys(("image/jpg", "image/pjpeg"), "image/jpeg")
"""Other names of a type, which tools give and the API refuses."""

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
            sent[-1] = {"role": role, "content": [*sent[-1]["content"], *blocks]}
        else:
            sent.append({"role": role, "content": blocks})
        if message["role"] not in ("assistant", "tool"):
            prompts.append(len(sent) - 1)
    last = len(sent) - 1
    for place, message in enumerate(sent):
        if message["role"] == "assistant":
            blocks = _in_place([*_in_pairs(message["content"], goes_on=place == last)])
            if place == last and blocks and blocks[-1]["type"] == "text":
                # The API refuses a request that ends with white space of the assistant's.
                blocks[-1] = _text(blocks[-1]["text"].rstrip())
            sent[place] = {**message, "content": blocks or [_text(_EMPTY)]}
    ends = {last, *[place for place in prompts if place < last][-1:]}
    return sent, {place for place in ends if place >= 0 and sent[place]["role"] == "user"}


def _in_pairs(blocks: list[Block], *, goes_on: bool) -> Iterator[Block]:
    """Yield the blocks of an answer with each call of a tool of the server's own before its result, and none of them
    alone: the API refuses them. Streams interleave, and files are edited.

    Args:
        goes_on: Whether the server goes on with the answer, which ends with a call whose result it has.
    """
    calls = _places(blocks, "id", _is_server_call)
    results = _places(blocks, "tool_use_id", _is_server_result)
    for place, block in enumerate(blocks):
        if not block["type"].endswith(_OF_SERVER):
            yield block
            continue
        name = str(block.get("id" if block["type"] in _SERVER_CALLS else "tool_use_id"))
        called, found = calls.get(name), results.get(name)
        if place == called and (goes_on or found is not None):
            yield block
            if found is not None and found < place:
                yield blocks[found]
        elif place == found and called is not None and called < place:
            yield block


def _places(blocks: list[Block], key: str, fits: Callable[[Block], bool]) -> dict[str, int]:
    """Return the place of the first block that fits, by its id."""
    found: dict[str, int] = {}
    for place, block in enumerate(blocks):
        if isinstance(block.get(key), str) and block[key] and fits(block):
            found.setdefault(block[key], place)
    return found


def _is_server_call(block: Block) -> bool:
    is_named = isinstance(block.get("name"), str) and isinstance(block.get("input"), dict)
    return block["type"] in _SERVER_CALLS and is_named


def _is_server_result(block: Block) -> bool:
    content = block.get("content")
    is_whole = isinstance(content, dict | str) or content == as_dicts(content)
    return block["type"].endswith(_SERVER_RESULT) and is_whole


def _in_place(blocks: list[Block]) -> list[Block]:
    """Return the blocks of a message without the thinking that the API refuses: it stands first, or after text and what the
    server did itself.
    """
    if not blocks or is_thought(blocks[0]):
        return blocks
    if blocks[0]["type"].endswith(_OF_SERVER):
        return [block for block in blocks if not is_thought(block)]
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
            yield from (said for said in texts[:1] if said["text"].strip())
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
    return {
        "type": "tool_use",
        "id": _call_id(call["id"]),
        "name": function["name"],
        # The other APIs have them in a text, in which anything can be said.
        "input": repair_json(json.loads(function["arguments"])),
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
    kind = head[1].lower()
    return {
        "type": "base64",
        "media_type": _JPEG.get(kind, kind),
        "data": url[head.end() :],
    }
