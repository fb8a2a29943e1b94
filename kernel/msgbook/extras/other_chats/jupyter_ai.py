"""Chats of jupyter-ai: `.chat` files, the JSON of a YChat. Pure."""

from __future__ import annotations

from typing import Any

from msgbook.extras.other_chats import fields
from msgbook.extras.other_chats.chat import ChatMessage, OtherChat, text_block

FORM = "jupyter-ai"

_CHAT = ("messages", "users", "attachments")
_MESSAGE = ("id", "mentions", "body", "time", "type", "raw_time")

_Json = dict[str, Any]


def read_conversation(value: _Json, where: str = "") -> OtherChat:
    """Return the chat of a file.

    Raises:
        BadChatError: A value has another type.
    """
    chat = OtherChat(FORM, kept=fields.without(value, _CHAT))
    users = fields.dict_in(value, "users", where)
    attachments = fields.dict_in(value, "attachments", where)
    if users:
        chat.kept["users"] = users
    messages = fields.list_in(value, "messages", where)
    people: set[str] = set()
    bots: set[str] = set()
    for number, message in enumerate(messages):
        place = f"messages[{number}]"
        fields.require(message, dict, place)
        sender = fields.text_in(message, "sender", place)
        user = fields.dict_in(users, sender, "users")
        is_bot = user.get("bot") is True or (not user and "jupyter-ai-personas" in sender)
        (bots if is_bot else people).add(sender)
        read = _message(message, place, is_bot=is_bot, attachments=attachments, chat=chat)
        chat.messages += [read] if read is not None else []
    for senders, what in ((people, "people"), (bots, "personas")):
        if len(senders) > 1:
            chat.findings.append(f"who of several {what} wrote a message is only in the metadata")
    return chat


def _message(
    message: _Json, where: str, *, is_bot: bool, attachments: _Json, chat: OtherChat
) -> ChatMessage | None:
    text = fields.text_in(message, "body", where)
    kept = fields.without(message, _MESSAGE)
    time = fields.utc_time(message.get("time"))
    if message.get("deleted") is True:
        return None
    named = {}
    for number, name in enumerate(fields.list_in(message, "attachments", where)):
        fields.require(name, str, f"{where}.attachments[{number}]")
        named[name] = attachments.get(name)
    if named:
        kept["attachments"] = named
        chat.findings.append("attached files, which the chat only names, are in the metadata")
    if "mime_model" in kept:
        chat.findings.append("output that was shown in place of a text is only in the metadata")
    if is_bot:
        return ChatMessage("assistant", blocks=[text_block(text)], time=time, kept=kept)
    if time:
        kept["time"] = time
    return ChatMessage("user", text, kept=kept)
