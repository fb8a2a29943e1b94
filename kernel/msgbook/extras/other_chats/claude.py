"""Conversations of Claude's export, `conversations.json`. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from msgbook.extras.other_chats import fields
from msgbook.extras.other_chats.chat import (
    ChatMessage,
    OtherChat,
    call_block,
    find_branches,
    reasoning_block,
    result_block,
    text_block,
)
from msgbook_format.syntax import write_fence

FORM = "claude"

_CONVERSATION = ("chat_messages", "name", "account", "current_leaf_message_uuid")
_MESSAGE = (
    "uuid",
    "updated_at",
    "text",
    "content",
    "sender",
    "attachments",
    "created_at",
    "parent_message_uuid",
    "index",
)
_PART = (
    "type",
    "text",
    "thinking",
    "id",
    "tool_use_id",
    "name",
    "input",
    "content",
    "is_error",
    "start_timestamp",
    "stop_timestamp",
    "flags",
    "cut_off",
    "truncated",
    "alternative_display_type",
)
_ROOT = "00000000-0000-4000-8000-000000000000"
"""`parent_message_uuid` of the first message."""

_Json = dict[str, Any]


def read_conversation(value: _Json, where: str) -> OtherChat:
    """Return the chat of one conversation; its other branches are its forks.

    Raises:
        BadChatError: A value has another type, or the messages form a circle.
    """
    place = f"{where}.chat_messages" if where else "chat_messages"
    messages = fields.require(value.get("chat_messages"), list, place)
    for number, message in enumerate(messages):
        fields.require(message, dict, f"{place}[{number}]")
    title = fields.text_in(value, "name", where)
    kept = fields.without(value, _CONVERSATION)
    parents = _parents(messages, place)
    if parents is None:
        return _chat(title, list(enumerate(messages)), place, kept)
    numbered = {message["uuid"]: (number, message) for number, message in enumerate(messages)}
    shown = fields.text_in(value, "current_leaf_message_uuid", where) or None
    branches = find_branches(parents, shown, place, numbered.__getitem__)
    chat = _chat(title, [numbered[name] for name in branches.shown], place, kept)
    if branches.left_out:
        chat.findings.append(f"{branches.left_out} other branches are left out: there are too many")
    chat.forks = [
        _chat(title, [numbered[name] for name in path], place, kept) for path in branches.others
    ]
    return chat


def _parents(messages: list[_Json], where: str) -> dict[str, str | None] | None:
    """Return the message above each message; None if the file does not say that of all of them."""
    parents: dict[str, str | None] = {}
    for number, message in enumerate(messages):
        name = fields.text_in(message, "uuid", f"{where}[{number}]")
        parent = fields.text_in(message, "parent_message_uuid", f"{where}[{number}]")
        if not name or not parent or name in parents:
            return None
        parents[name] = None if parent == _ROOT else parent
    roots = [parent for parent in parents.values() if parent not in parents]
    # More beginnings than one: the file has only some of the messages.
    return parents if len(roots) == 1 else None


def _chat(title: str, messages: list[tuple[int, _Json]], where: str, kept: _Json) -> OtherChat:
    chat = OtherChat(FORM, title, kept=dict(kept))
    for number, message in messages:
        chat.messages.append(_message(message, f"{where}[{number}]", chat))
    return chat


def _message(message: _Json, where: str, chat: OtherChat) -> ChatMessage:
    sender = fields.text_in(message, "sender", where)
    if sender not in ("human", "assistant"):
        raise fields.BadChatError(f"{where}.sender", "human or assistant", fields.shown(sender))
    kept = fields.without(message, _MESSAGE)
    time = fields.utc_time(message.get("created_at"))
    if kept.get("files"):
        chat.findings.append("files that the archive only names are in the metadata")
    blocks = list(_blocks(message, where, chat, kept))
    if sender == "assistant":
        return ChatMessage("assistant", blocks=blocks, time=time, kept=kept)
    texts = [block["text"] for block in blocks if block["type"] == "text"]
    others = [block for block in blocks if block["type"] != "text"]
    if others:
        kept["blocks"] = others
    texts += _attached(message, where, kept)
    if time:
        kept["time"] = time
    return ChatMessage("user", "\n\n".join(filter(None, texts)), kept=kept)


def _attached(message: _Json, where: str, kept: _Json) -> Iterator[str]:
    """Yield the texts of attached files, which were sent with the message."""
    for number, attachment in enumerate(fields.list_in(message, "attachments", where)):
        place = f"{where}.attachments[{number}]"
        fields.require(attachment, dict, place)
        text = fields.text_in(attachment, "extracted_content", place)
        name = " ".join(fields.text_in(attachment, "file_name", place).split()) or "attachment"
        if text:
            yield f"{name}:\n\n{write_fence(text.rstrip(chr(10)) + chr(10), '')}".rstrip("\n")
        rest = fields.without(attachment, ("extracted_content",))
        if rest:
            kept.setdefault("attachments", []).append(rest)


def _blocks(message: _Json, where: str, chat: OtherChat, kept: _Json) -> Iterator[_Json]:
    content = fields.list_in(message, "content", where)
    if not content:
        # Older archives have the text alone.
        text = fields.text_in(message, "text", where)
        yield from [text_block(text)] if text else []
        return
    calls = _Calls()
    for number, part in enumerate(content):
        place = f"{where}.content[{number}]"
        fields.require(part, dict, place)
        kind = fields.text_in(part, "type", place)
        rest = fields.without(part, _PART)
        if rest and kind in ("text", "thinking", "tool_use", "tool_result"):
            kept.setdefault("content", []).append({"number": number + 1, **rest})
        if kind == "text":
            yield text_block(fields.text_in(part, "text", place))
        elif kind == "thinking":
            yield reasoning_block(fields.text_in(part, "thinking", place))
        elif kind == "tool_use":
            yield calls.call(part, place)
        elif kind == "tool_result":
            yield calls.result(part, place)
        else:
            if kind != "token_budget":
                chat.findings.append(
                    f"content of the type {fields.shown(kind)} is only in the metadata"
                )
            kept.setdefault("content", []).append(part)


class _Calls:
    """The calls of one message. Most archives do not say which result belongs to which call."""

    def __init__(self) -> None:
        self._open: list[str] = []
        self._count = 0

    def call(self, part: _Json, where: str) -> _Json:
        self._count += 1
        call_id = fields.text_in(part, "id", where) or f"call_{self._count}"
        self._open.append(call_id)
        arguments = json.dumps(part.get("input") or {}, ensure_ascii=False)
        return call_block(call_id, fields.text_in(part, "name", where), arguments)

    def result(self, part: _Json, where: str) -> _Json:
        call_id = fields.text_in(part, "tool_use_id", where)
        if not call_id and self._open:
            call_id = self._open[0]
        if call_id in self._open:
            self._open.remove(call_id)
        found = part.get("content")
        is_error = part.get("is_error") is True
        return result_block(call_id, _result(found, f"{where}.content"), is_error=is_error)


def _result(found: Any, where: str) -> str | list[_Json]:
    if found is None or isinstance(found, str):
        return found or ""
    parts = []
    for number, part in enumerate(fields.require(found, list, where)):
        fields.require(part, dict, f"{where}[{number}]")
        parts.append(part)
    if all(map(_is_text, parts)):
        return "\n".join(part["text"] for part in parts)
    # Sources and other data stay as they are.
    return [
        part if _is_text(part) else {"type": "text", "text": json.dumps(part, ensure_ascii=False)}
        for part in parts
    ]


def _is_text(part: _Json) -> bool:
    return part.get("type") == "text" and isinstance(part.get("text"), str)
