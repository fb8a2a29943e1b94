"""Copies of a request without something that a server refuses. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from typing import Any

from msgbook import messages
from msgbook.messages import OUTPUT_ITEMS, Message
from msgbook.provider.base import Request

_ANY_SERVERS_ID = re.compile(r"[a-zA-Z0-9]{9}")
"""Ids that every server accepts: Mistral accepts no others. OpenAI accepts 40 characters, vLLM makes 46."""


def holds_image(message: Message) -> bool:
    """Return whether a message has an image part."""
    return _holds("image_url", message)


def holds_document(message: Message) -> bool:
    """Return whether a message has the part of a document."""
    return _holds("file", message)


def _holds(kind: str, message: Message) -> bool:
    content = message.get("content")
    parts = content if isinstance(content, list) else []
    return any(isinstance(part, dict) and part.get("type") == kind for part in parts)


def holds_image_of_tool(message: Message) -> bool:
    """Return whether a message is a tool's, with an image part."""
    return _is_tool(message) and holds_image(message)


def without_images(request: Request) -> Request:
    """Return the request with a word for each image."""
    return replace(request, messages=[messages.without_images(m) for m in request.messages])


def without_documents(request: Request) -> Request:
    """Return the request with the name of each document."""
    return replace(request, messages=[messages.without_documents(m) for m in request.messages])


def without_tool_images(request: Request) -> Request:
    """Return the request with a word for each image of a tool."""
    changed = [messages.without_images(m) if _is_tool(m) else m for m in request.messages]
    return replace(request, messages=changed)


def holds_foreign_id(message: Message) -> bool:
    """Return whether a message has an id of a call that some server refuses."""
    return not all(map(_ANY_SERVERS_ID.fullmatch, _call_ids(message)))


def with_plain_ids(request: Request) -> Request:
    """Return the request with ids of calls that every server accepts, the same in all requests."""
    return replace(request, messages=[_with_plain_id(m) for m in request.messages])


def has_option(key: str) -> Callable[[Request], bool]:
    """Return a function that returns whether a request has an option."""
    return lambda request: key in request.options


def without_option(key: str) -> Callable[[Request], Request]:
    """Return a function that removes an option."""

    def change(request: Request) -> Request:
        options = {k: v for k, v in request.options.items() if k != key}
        return replace(request, options=options)

    return change


def rename_option(old: str, new: str) -> Callable[[Request], Request]:
    """Return a function that gives an option another name."""

    def change(request: Request) -> Request:
        options: dict[str, Any] = {new: request.options[old]}
        options |= {k: v for k, v in request.options.items() if k != old}
        return replace(request, options=options)

    return change


def holds_reasoning_item(message: Message) -> bool:
    """Return whether a message gives a server of the Responses API its reasoning back."""
    return any(item["type"] == "reasoning" for item in message.get(OUTPUT_ITEMS, ()))


def without_reasoning_items(request: Request) -> Request:
    """Return the request without the reasoning that a server of the Responses API made."""
    return replace(request, messages=[*map(_without_reasoning_items, request.messages)])


def _without_reasoning_items(message: Message) -> Message:
    if not holds_reasoning_item(message):
        return message
    items = [item for item in message[OUTPUT_ITEMS] if item["type"] != "reasoning"]
    return {**message, OUTPUT_ITEMS: items}


def _is_tool(message: Message) -> bool:
    return message.get("role") == "tool"


def _call_ids(message: Message) -> list[str]:
    ids = [call["id"] for call in message.get("tool_calls", ())]
    return [*ids, message["tool_call_id"]] if _is_tool(message) else ids


def _with_plain_id(message: Message) -> Message:
    if not holds_foreign_id(message):
        return message
    if _is_tool(message):
        return {**message, "tool_call_id": _plain_id(message["tool_call_id"])}
    calls = [{**call, "id": _plain_id(call["id"])} for call in message["tool_calls"]]
    return {**message, "tool_calls": calls}


def _plain_id(call_id: str) -> str:
    """Return the id, or the id that replaces it in all requests."""
    if _ANY_SERVERS_ID.fullmatch(call_id):
        return call_id
    return sha256(call_id.encode(errors="replace")).hexdigest()[:9]
