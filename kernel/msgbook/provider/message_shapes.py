"""Copies of a request whose messages have another shape, for servers that refuse one: foreign calls without a
signature, calls and results as such, the system message, empty contents. Pure.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

from msgbook import messages
from msgbook.messages import OUTPUT_ITEMS, Message
from msgbook.provider.base import Request

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
            return messages.user(_headed(f"[result of {name}]", message.get("content") or ""))
        if not _calls(message):
            return message
        told = [message.get("content") or ""]
        for call in _calls(message):
            names[call["id"]] = call["function"]["name"]
            told.append(f"[call of {call['function']['name']}: {call['function']['arguments']}]")
        dropped = ("tool_calls", OUTPUT_ITEMS)
        kept = {key: value for key, value in message.items() if key not in dropped}
        return {**kept, "content": "\n".join(filter(None, told))}

    return replace(request, messages=[*map(change, request.messages)])


def _headed(head: str, content: str | list[messages.Part]) -> str | list[messages.Part]:
    if isinstance(content, str):
        return f"{head}\n{content}"
    return [{"type": "text", "text": head}, *content]


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
