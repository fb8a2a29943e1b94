"""The body of a request of the Responses API, and its input items. Pure.

The notebook is the memory: the server stores nothing (`store`), and no request refers to an earlier one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from typing import Any

from msgbook.messages import OUTPUT_ITEMS, Message, Part
from msgbook.provider.base import Request
from msgbook.provider.tool_call_pieces import with_unique_ids

OPTIONS: Mapping[str, Any] = {
    "include": ["reasoning.encrypted_content"],
    "reasoning_summary": "auto",
}
"""Options that make a model show its reasoning, and the server hand it out for the next step."""

STREAMING: Mapping[str, Any] = {"stream": True}
"""Keys that ask for a streamed answer. Its last event has the usage."""

_NAMES = {
    "max_tokens": ("max_output_tokens",),
    "max_completion_tokens": ("max_output_tokens",),
    "reasoning_effort": ("reasoning", "effort"),
    "reasoning_summary": ("reasoning", "summary"),
    "verbosity": ("text", "verbosity"),
    "response_format": ("text", "format"),
}
"""Places in a Responses request of options that the chat API names otherwise."""


def make_body(request: Request, streaming: Mapping[str, Any]) -> dict[str, Any]:
    """Return the body of a request.

    Options have their names of the chat API, or those of this API, which win. An option that is None
    is not sent.

    Args:
        streaming: Keys that ask for a streamed answer.
    """
    first = request.messages[:1]
    system = [message for message in first if message["role"] == "system"]
    options = _named_here(request.options)
    tools = [*map(_tool, request.tools), *options.pop("tools", ())]
    body: dict[str, Any] = {
        **options,
        "model": request.model,
        "input": input_items(request.messages[len(system) :]),
        "store": False,
    }
    if system:
        body["instructions"] = system[0]["content"]
    if tools:
        body["tools"] = tools
    return {**body, **streaming}


def _named_here(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options by their names in this API."""
    own = {key: _converted(key, value) for key, value in options.items() if value is not None}
    named: dict[str, Any] = {}
    for key, (*outer, inner) in _NAMES.items():
        if key in own:
            table = named.setdefault(outer[0], {}) if outer else named
            table[inner] = own.pop(key)
    for key, value in own.items():
        both = isinstance(value, Mapping) and isinstance(named.get(key), dict)
        named[key] = {**named[key], **value} if both else value
    return named


def _converted(key: str, value: Any) -> Any:
    """Return the value of an option: the chat API has schemas and functions one level deeper."""
    if not isinstance(value, Mapping):
        return value
    schema, function = value.get("json_schema"), value.get("function")
    if key == "response_format" and isinstance(schema, Mapping):
        return {"type": "json_schema", **schema}
    if key == "tool_choice" and isinstance(function, Mapping):
        return {"type": "function", **function}
    return value


def _tool(tool: dict[str, Any]) -> dict[str, Any]:
    """Return a tool. Without `strict` this API would demand each optional argument."""
    function = tool.get("function")
    return {"type": "function", **function, "strict": False} if function else tool


# The input items of a request, made from its messages one by one. Pure.
#
# What was sent before stays the beginning of what is sent next, so a server's prefix cache holds.


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
