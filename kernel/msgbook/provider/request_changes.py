"""Copies of a request without something that a server refuses. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from hashlib import sha256
from itertools import pairwise
from typing import Any

from msgbook import messages
from msgbook.messages import CONTENT_BLOCKS, ECHOED, OUTPUT_ITEMS, Message, Part
from msgbook.provider.base import Request
from msgbook.provider.refused_elements import (
    Elements,
    added_tools,
    all_tools,
    document_key,
    document_keys,
    image_key,
    images_of,
    of_others,
    tool_name,
)
from msgbook.provider.refused_media import EVERY_DOCUMENT
from msgbook.provider.tool_call_pieces import with_unique_ids
from msgbook_format.typed import as_dict

_ANY_SERVERS_ID = re.compile(r"[a-zA-Z0-9]{9}")
"""Ids that every server accepts: Mistral accepts no others. OpenAI accepts 40 characters, vLLM makes 46."""


def holds_image(message: Message) -> bool:
    """Return whether a message has an image part."""
    return bool(images_of(message))


def holds_image_of_tool(message: Message) -> bool:
    """Return whether a message is a tool's, with an image part."""
    return _is_tool(message) and holds_image(message)


def without_images(request: Request) -> Request:
    """Return the request with a word for each image."""
    return replace(request, messages=[messages.without_images(m) for m in request.messages])


def without_tool_images(request: Request) -> Request:
    """Return the request with a word for each image of a tool."""
    changed = [messages.without_images(m) if _is_tool(m) else m for m in request.messages]
    return replace(request, messages=changed)


def without_these_images(request: Request, keys: Elements) -> Request:
    """Return the request with a word for each image with one of these digests."""

    def change(part: Part) -> Part:
        is_one = part.get("type") == "image_url" and image_key(part) in keys
        return {"type": "text", "text": messages.IMAGE} if is_one else part

    return replace(request, messages=[_with_parts(m, change) for m in request.messages])


def with_newest_images(request: Request, most: int) -> Request:
    """Return the request with a word for each image but the last ones, `most` in number."""
    left_out = sum(len(images_of(message)) for message in request.messages) - most

    def change(part: Part) -> Part:
        nonlocal left_out
        if part.get("type") != "image_url":
            return part
        left_out -= 1
        return part if left_out < 0 else {"type": "text", "text": messages.IMAGE}

    return replace(request, messages=[_with_parts(m, change) for m in request.messages])


def holds_document(request: Request, keys: Elements) -> bool:
    """Return whether a request has one of these documents."""
    held = document_keys(request)
    return bool(held) if keys == EVERY_DOCUMENT else not keys.isdisjoint(held)


def without_documents(request: Request, keys: Elements) -> Request:
    """Return the request with the name of each of these documents in its place."""

    def is_left_out(part: Part) -> bool:
        return keys == EVERY_DOCUMENT or document_key(part) in keys

    changed = [messages.without_documents(m, is_left_out) for m in request.messages]
    return replace(request, messages=changed)


def _with_parts(message: Message, change: Callable[[Part], Part]) -> Message:
    content = message.get("content")
    if not isinstance(content, list):
        return message
    changed = [*map(change, content)]
    return message if changed == content else {**message, "content": changed}


def holds_tool(request: Request, names: Elements) -> bool:
    """Return whether a request offers one of these tools."""
    return not names.isdisjoint(map(tool_name, all_tools(request)))


def without_tools(request: Request, names: Elements) -> Request:
    """Return the request without these tools, and without a choice among them that can no longer be made."""
    options = {**request.options}
    if added := options.pop("tools", ()):
        kept = [tool for tool in added if tool_name(tool) not in names]
        options |= {"tools": kept} if kept else {}
    tools = [tool for tool in request.tools if tool_name(tool) not in names]
    choice = options.get("tool_choice")
    is_gone = isinstance(choice, Mapping) and tool_name(dict(choice)) in names
    if is_gone or not (tools or "tools" in options):
        options.pop("tool_choice", None)
    if not (tools or "tools" in options):
        options.pop("parallel_tool_calls", None)
    return replace(request, tools=tools, options=options)


def with_first_tools(request: Request, most: int) -> Request:
    """Return the request with `most` tools: the user's own, msgbook's, and others as far as they fit."""
    names = [*map(tool_name, request.tools)]
    foreign = of_others(names)
    ordered = sorted(names, key=lambda name: name in foreign)
    return without_tools(request, frozenset(ordered[max(0, most - len(added_tools(request))) :]))


def without_all_tools(request: Request) -> Request:
    """Return the request without any tool of ours."""
    return without_tools(request, frozenset(map(tool_name, request.tools)))


def is_alternating(request: Request) -> bool:
    """Return whether no neighbouring messages could be merged."""
    pairs = pairwise(request.messages)
    return all(messages.joined(first, second) is None for first, second in pairs)


def with_joined_neighbours(request: Request) -> Request:
    """Return the request with neighbouring messages of one role merged."""
    merged: list[Message] = []
    for message in request.messages:
        joined = messages.joined(merged[-1], message) if merged else None
        merged[-1:] = [*merged[-1:], message] if joined is None else [joined]
    return replace(request, messages=merged)


def holds_foreign_id(message: Message) -> bool:
    """Return whether a message has an id of a call that some server refuses."""
    return not all(map(_ANY_SERVERS_ID.fullmatch, _call_ids(message)))


def with_plain_ids(request: Request) -> Request:
    """Return the request with ids of calls that every server accepts, the same in all requests."""
    told_apart = with_unique_ids(request.messages)
    return replace(request, messages=[*map(_with_plain_id, told_apart)])


def has_option(key: str) -> Callable[[Request], bool]:
    """Return a function that returns whether a request has an option."""
    return lambda request: key in request.options


def without_option(key: str) -> Callable[[Request], Request]:
    """Return a function that removes an option."""

    def change(request: Request) -> Request:
        options = {k: v for k, v in request.options.items() if k != key}
        return replace(request, options=options)

    return change


def without_options(request: Request, keys: Elements) -> Request:
    """Return the request without some options."""
    options = {k: v for k, v in request.options.items() if k not in keys}
    return replace(request, options=options)


def holds_repeated_tools(request: Request) -> bool:
    """Return whether two tools have the same name, whatever the case of its letters."""
    names = [tool_name(tool).casefold() for tool in all_tools(request)]
    return len(set(names)) < len(names)


def with_unique_tools(request: Request) -> Request:
    """Return the request with one tool of each name: those of the user's options stay, then the first."""
    taken = {tool_name(tool).casefold() for tool in added_tools(request)}
    kept = []
    for tool in request.tools:
        if (name := tool_name(tool).casefold()) not in taken:
            taken.add(name)
            kept.append(tool)
    return replace(request, tools=kept)


def holds_mixed_strict(request: Request) -> bool:
    """Return whether not all functions have a `strict` that is off."""
    functions = [tool.get("function") for tool in all_tools(request)]
    return any(isinstance(one, dict) and one.get("strict") is not False for one in functions)


def without_strict(request: Request) -> Request:
    """Return the request with `strict` turned off in all functions: few schemas are such as it demands."""

    def changed(tool: Any) -> Any:
        function = as_dict(tool).get("function")
        off = {"function": {**function, "strict": False}} if isinstance(function, dict) else {}
        return {**tool, **off} if off else tool

    options = dict(request.options)
    if isinstance(options.get("tools"), list | tuple):
        options["tools"] = [*map(changed, options["tools"])]
    return replace(request, tools=[*map(changed, request.tools)], options=options)


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


_THOUGHTS = ("thinking", "redacted_thinking")


def holds_thinking(message: Message) -> bool:
    """Return whether a message gives a server of the Messages API its thinking back."""
    return any(block["type"] in _THOUGHTS for block in message.get(CONTENT_BLOCKS, ()))


def without_thinking(request: Request) -> Request:
    """Return the request without the thinking that a server of the Messages API made."""

    def change(message: Message) -> Message:
        if not holds_thinking(message):
            return message
        kept = [block for block in message[CONTENT_BLOCKS] if block["type"] not in _THOUGHTS]
        return {**message, CONTENT_BLOCKS: kept}

    return replace(request, messages=[*map(change, request.messages)])


def with_token_limit(request: Request, most: int) -> Request:
    """Return the request with a limit of the tokens of its answer."""
    kept = {k: v for k, v in request.options.items() if k not in TOKEN_LIMITS}
    return replace(request, options={**kept, "max_tokens": most})


TOKEN_LIMITS = ("max_tokens", "max_completion_tokens", "max_output_tokens")
"""Options that limit the tokens of an answer."""


_REASONING_KEY = re.compile(r"reasoning\w*")
"""Keys of an assistant message that give a server its reasoning back over the chat API."""


def holds_reasoning(message: Message) -> bool:
    """Return whether a message gives a server of the chat API its reasoning back."""
    return any(map(_REASONING_KEY.fullmatch, message))


def without_reasoning(request: Request) -> Request:
    """Return the request without any reasoning of the chat API."""
    kept = [
        {key: value for key, value in message.items() if not _REASONING_KEY.fullmatch(key)}
        for message in request.messages
    ]
    return replace(request, messages=kept)


def lacks_reasoning(request: Request, fields: Elements) -> bool:
    """Return whether an answer in the conversation goes back without one of these fields."""
    answers = (m for m in request.messages if m.get("role") == "assistant")
    return any(not fields <= answer.keys() for answer in answers)


def with_reasoning(request: Request, fields: Elements) -> Request:
    """Return the request with the reasoning of earlier turns in these fields, empty for answers that have none.

    Another model's answers have none that this server could use, and a server that insists takes an empty one.
    """
    earlier = request.reasoned() if request.reasoned is not None else []
    same = len(earlier) <= len(request.messages)
    sent = [*earlier, *request.messages[len(earlier) :]] if same else request.messages
    return replace(request, messages=[_with_fields(message, fields) for message in sent])


def _with_fields(message: Message, fields: Elements) -> Message:
    if message.get("role") != "assistant" or fields <= message.keys():
        return message
    told = (message[key] for key in message if _REASONING_KEY.fullmatch(key))
    text = next((value for value in told if isinstance(value, str)), "")
    added = {field: [] if field.endswith("details") else text for field in sorted(fields)}
    return {**added, **message}


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


# Copies of a request whose messages have another shape, for servers that refuse one: foreign calls without a
# signature, calls and results as such, the system message, empty contents. Pure.


_NO_SIGNATURE = "skip_thought_signature_validator"
"""What Google's documentation tells to send for calls that Gemini did not make, in place of its signature."""
_EMPTY = "[empty]"


def _calls(message: Message) -> list[dict[str, Any]]:
    return message.get("tool_calls") or []


def _is_signed(message: Message) -> bool:
    """Return whether a message's calls are Gemini's own, which signs the first of several."""
    return any(
        "thought_signature" in str({k: v for k, v in call.items() if k != "function"})
        for call in _calls(message)
    )


def lacks_signature(request: Request) -> bool:
    """Return whether a conversation has calls of another model than Gemini."""
    return any(_calls(m) and not _is_signed(m) for m in request.messages)


def with_signatures(request: Request) -> Request:
    """Return the request with a word in place of each signature that Gemini misses."""
    extra = {"extra_content": {"google": {"thought_signature": _NO_SIGNATURE}}}

    def change(message: Message) -> Message:
        if not _calls(message) or _is_signed(message):
            return message
        return {**message, "tool_calls": [{**call, **extra} for call in _calls(message)]}

    return replace(request, messages=[*map(change, request.messages)])


def holds_calls(request: Request) -> bool:
    """Return whether a conversation has calls of tools or results."""
    return any(_calls(m) or m.get("role") == "tool" for m in request.messages)


def with_calls_as_text(request: Request) -> Request:
    """Return the request with its calls as text of the assistant, and their results as text of the user."""
    names: dict[str, str] = {}

    def change(message: Message) -> Message:
        if message.get("role") == "tool":
            name = names.get(message["tool_call_id"], "a tool")
            return messages.user(
                messages.with_text_before(message.get("content") or "", f"[result of {name}]", "\n")
            )
        if not _calls(message):
            return message
        told = [message.get("content") or ""]
        for call in _calls(message):
            names[call["id"]] = call["function"]["name"]
            told.append(f"[call of {call['function']['name']}: {call['function']['arguments']}]")
        dropped = ("tool_calls", *ECHOED)
        kept = {key: value for key, value in message.items() if key not in dropped}
        return {**kept, "content": "\n".join(filter(None, told))}

    return replace(request, messages=[*map(change, request.messages)])


def holds_system(request: Request) -> bool:
    """Return whether a conversation has a system message."""
    return any(m.get("role") == "system" for m in request.messages)


def with_system_as_user(request: Request) -> Request:
    """Return the request with the system message as one of the user, merged with the one that follows."""
    changed: list[Message] = []
    begun: Message | None = None
    for message in request.messages:
        is_system = message.get("role") == "system"
        sent = {**message, "role": "user"} if is_system else message
        merged = messages.joined(begun, sent) if begun is not None else None
        changed[-1:] = [*changed[-1:], sent] if merged is None else [merged]
        begun = changed[-1] if is_system else None
    return replace(request, messages=changed)


def holds_empty(request: Request) -> bool:
    """Return whether a message has no content."""
    return any(map(_is_empty, request.messages))


def with_filled_contents(request: Request) -> Request:
    """Return the request with a word for each content that is empty."""
    filled = [{**m, "content": _EMPTY} if _is_empty(m) else m for m in request.messages]
    return replace(request, messages=filled)


def _is_empty(message: Message) -> bool:
    content = message.get("content")
    if isinstance(content, list):
        return all(p.get("type") == "text" and not str(p.get("text")).strip() for p in content)
    return not (content.strip() if isinstance(content, str) else content)


def holds_unanswered_result(request: Request) -> bool:
    """Return whether a message of the user stands right after a result."""
    return any(_is_unanswered(*pair) for pair in pairwise(request.messages))


def with_answered_results(request: Request) -> Request:
    """Return the request with a word of the assistant between results and the user's next message."""
    changed = [*request.messages[:1]]
    for before, message in pairwise(request.messages):
        changed += [messages.assistant(_EMPTY)] if _is_unanswered(before, message) else []
        changed.append(message)
    return replace(request, messages=changed)


def _is_unanswered(before: Message, message: Message) -> bool:
    return (before.get("role"), message.get("role")) == ("tool", "user")


def begins_with_answer(request: Request) -> bool:
    """Return whether a conversation begins with a message of the assistant."""
    roles = (m.get("role") for m in request.messages if m.get("role") != "system")
    return next(roles, None) == "assistant"


def with_user_first(request: Request) -> Request:
    """Return the request with a word of the user before its first message."""
    held = request.messages
    place = next(n for n, message in enumerate(held) if message.get("role") == "assistant")
    return replace(request, messages=[*held[:place], messages.user(_EMPTY), *held[place:]])
