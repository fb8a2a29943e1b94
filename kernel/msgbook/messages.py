"""The messages of a request in the form of the OpenAI-compatible chat API."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

from msgbook.text import one_line, repair_surrogates
from msgbook_format.typed import is_texts

Message = dict[str, Any]
"""A JSON object with a `role` of `system`, `user`, `assistant` or `tool`."""

Part = dict[str, Any]
"""A content part: `{"type": "text", ...}`, `{"type": "image_url", ...}` (seed 001) or `{"type": "file", ...}`."""

ApiName = Literal["chat", "responses", "anthropic"]
"""The API over which a server is asked: chat completions, OpenAI's newer Responses API, or Anthropic's Messages API."""

API_TITLES: Mapping[ApiName, str] = {
    "chat": "chat API",
    "responses": "Responses API",
    "anthropic": "Messages API",
}
"""What a reader is told that an API is."""

OUTPUT_ITEMS = "output_items"
"""Key of an assistant message with what a server of the Responses API wants back within the turn: its output
items in their order. Those of type `message` and `function_call` hold nothing that the message itself says."""

CONTENT_BLOCKS = "content_blocks"
"""Key of an assistant message with what a server of the Messages API wants back within the turn: its content blocks in
their order. Those of type `text` and `tool_use` are told by the message itself, too."""

ECHOED = (OUTPUT_ITEMS, CONTENT_BLOCKS)
"""Keys of an assistant message that one API alone takes back."""

IMAGE = "[image]"
"""Text that stands for an image if the model takes no images."""

_NO_NAME = "unknown"
"""Name of a call without a name. Servers refuse an empty one."""

_HASH_DIGITS = 16
"""Hex digits of a `request_hash`: enough to tell requests apart, and short to read in a file."""

_NO_NAME_PART = re.compile("[^A-Za-z0-9_-]")
_NAME_LIMIT = 64
"""Characters of a tool's name: OpenAI and Anthropic take no longer one."""


def system(content: str) -> Message:
    return {"role": "system", "content": repair_surrogates(content)}


def user(content: str | list[Part]) -> Message:
    return {"role": "user", "content": with_texts(content, repair_surrogates)}


def assistant(content: str | None, tool_calls: list[dict[str, Any]] | None = None) -> Message:
    """Return an assistant message; `content` may be None only beside `tool_calls`."""
    message: Message = {
        "role": "assistant",
        "content": repair_surrogates(content) if content else None,
    }
    if tool_calls:
        message["tool_calls"] = tool_calls
    return message


def tool_call(call_id: str, name: str, arguments: str) -> dict[str, Any]:
    """Return an entry of an assistant message's `tool_calls`.

    Args:
        name: The name as the model sent it. Characters that servers refuse in it are replaced, as
            in `functions.read`: OpenAI's servers refuse a complete history because of one dot.
        arguments: JSON text. Any other text is wrapped into a JSON object, because strict servers
            refuse a history with anything else.
    """
    call_id, arguments = repair_surrogates(call_id), repair_surrogates(arguments)
    name = _NO_NAME_PART.sub("_", name)[:_NAME_LIMIT] or _NO_NAME
    if not _is_json_object(arguments):
        arguments = (
            json.dumps({"invalid_json": arguments}, ensure_ascii=False) if arguments else "{}"
        )
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def tool_result(call_id: str, content: str | list[Part]) -> Message:
    return {
        "role": "tool",
        "tool_call_id": repair_surrogates(call_id),
        "content": with_texts(content, repair_surrogates),
    }


_quoted: Callable[[str], str] = json.encoder.encode_basestring
"""Encodes a text as JSON with as few escapes as possible."""

_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def encode(message: Message) -> bytes:
    """Return the bytes of a message that `request_hash` hashes: JSON with sorted keys, no spaces."""
    if len(message) == 2 and isinstance(message.get("content"), str) and "role" in message:
        # Most messages. `encode` makes a new encoder for each object, which takes longer than this.
        content, role = _quoted(message["content"]), _quoted(message["role"])
        return f'{{"content":{content},"role":{role}}}'.encode("utf-8", "replace")
    return _CANONICAL.encode(message).encode("utf-8", "replace")


def request_hash(messages: Iterable[Message]) -> str:
    """Return the first 16 hex digits of the sha256 of the messages as JSON with sorted keys and no spaces."""
    return RequestHash(map(encode, messages)).hexdigest()


def shorten_request_hash(recorded: str) -> str:
    """Return the hash that a turn recorded as `request_hash` gives it; older ones are all 64 digits."""
    return recorded.removeprefix("sha256:")[:_HASH_DIGITS]


class RequestHash:
    """The `request_hash` of messages that are added one by one, in the form of `encode`."""

    def __init__(self, encoded: Iterable[bytes] = ()) -> None:
        self._digest = hashlib.sha256(b"[")
        self._separator = b""
        for message in encoded:
            self.add(message)

    def add(self, encoded: bytes) -> None:
        self._digest.update(self._separator)
        self._digest.update(encoded)
        self._separator = b","

    def hexdigest(self, *more: bytes) -> str:
        """Return the hash of the messages so far, followed by `more`, which are not added."""
        digest = self._digest.copy()
        separator = self._separator
        for encoded in more:
            digest.update(separator + encoded)
            separator = b","
        digest.update(b"]")
        return digest.hexdigest()[:_HASH_DIGITS]


def document_part(name: str, url: str) -> Part:
    """Return the part of a document, given its `data:` URL."""
    return {"type": "file", "file": {"filename": name, "file_data": url}}


def document_name(part: Part) -> str:
    """Return the name of a document."""
    return str(part["file"].get("filename") or "without a name")


def without_images(message: Message) -> Message:
    """Return the message with the text `[image]` for each image. Not in place."""
    return _without(message, lambda part: part.get("type") == "image_url")


def is_document(part: Part) -> bool:
    """Return whether a part is that of a document."""
    return part.get("type") == "file"


def without_documents(
    message: Message, is_left_out: Callable[[Part], bool] = is_document
) -> Message:
    """Return the message with the name of each document in its place, or of those that are left out. Not in place."""
    return _without(message, lambda part: is_document(part) and is_left_out(part))


def _without(message: Message, is_left_out: Callable[[Part], bool]) -> Message:
    content = message.get("content")
    if not isinstance(content, list):
        return message
    if not any(map(is_left_out, content)):
        return message
    if all(part.get("type") == "text" or is_left_out(part) for part in content):
        return {**message, "content": content_text(content)}
    parts = [
        {"type": "text", "text": _part_text(part)} if is_left_out(part) else part
        for part in content
    ]
    return {**message, "content": parts}


def content_text(content: str | list[Part]) -> str:
    """Return the text of a message's content, with `[image]` for each image."""
    if isinstance(content, str):
        return content
    return "\n".join(map(_part_text, content))


def _part_text(part: Part) -> str:
    if part.get("type") == "file":
        return f"[document: {one_line(document_name(part), 100)}]"
    text: str = part.get("text", IMAGE)
    return text


def with_texts(content: str | list[Part], change: Callable[[str], str]) -> str | list[Part]:
    """Return a content with each of its texts changed. Not in place."""
    if isinstance(content, str):
        return change(content)
    return [{**part, "text": change(part["text"])} if "text" in part else part for part in content]


def content_parts(content: str | list[Part]) -> list[Part]:
    """Return a message's content as parts: a text is one."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def with_text_before(content: str | list[Part], text: str, gap: str = "") -> str | list[Part]:
    """Return a content with a text in front: in its text, after which `gap` follows, or as a part. Not in place."""
    if isinstance(content, str):
        return f"{text}{gap}{content}"
    return [*content_parts(text), *content]


def with_text_after(content: str | list[Part], text: str, gap: str) -> str | list[Part]:
    """Return a content with a text at its end: in its text, `gap` before it, or as a part. Not in place."""
    if isinstance(content, str):
        return f"{content}{gap}{text}"
    return [*content, *content_parts(text)]


def content_size(content: str | list[Part]) -> int:
    """Return the number of characters of a message's content, including those of image data."""
    return len(content if isinstance(content, str) else json.dumps(content, ensure_ascii=False))


def joined(first: Message, second: Message) -> Message | None:
    """Return two neighbouring messages as one; None if they cannot be merged."""
    role = first["role"]
    if role not in ("user", "assistant") or role != second["role"]:
        return None
    if "tool_calls" in first or "tool_calls" in second:
        return None
    contents = [first["content"], second["content"]]
    if is_texts(contents):
        return {"role": role, "content": "\n\n".join(contents)}
    return {"role": role, "content": [part for one in contents for part in content_parts(one)]}


def _is_json_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False
