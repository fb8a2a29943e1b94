"""The form of a JSON value, and its chats. Pure."""

from __future__ import annotations

from functools import partial
from typing import Any

from msgbook.other_chats import chatgpt, claude, fields, jupyter_ai, llm_logs, openai_messages
from msgbook.other_chats.chat import OtherChat
from msgbook.other_chats.json_text import BadJsonError
from msgbook.other_chats.unread import Unread

EXPECTED = (
    "messages of the OpenAI API, ChatGPT's or Claude's `conversations.json`, `llm logs --json`, or a `.chat` of "
    "jupyter-ai"
)


def chats_of(
    value: Any,
    unread: Unread,
    *,
    lines: bool = False,
    assets: chatgpt.Assets = chatgpt.no_assets,
) -> list[OtherChat]:
    """Return the chats of a JSON value; an empty list has none.

    Args:
        unread: Collects the errors of chats that stand beside others.
        lines: Whether `value` is a list with a value for each line of a file, or with the line's error.
        assets: Returns a file of the archive.

    Raises:
        BadChatError: The value is of no form that is known, or not as its form says.
    """
    if isinstance(value, dict):
        return [_conversation(value, "", assets)]
    values = fields.require(value, list, "the file")
    errors = [item for item in values if isinstance(item, BadJsonError)]
    first = next((item for item in values if not isinstance(item, BadJsonError)), None)
    if isinstance(first, dict) and "role" in first:
        if errors:  # a line is a message, and a chat with a hole in it is another chat
            raise errors[0]
        return [openai_messages.read_conversation(values, "line" if lines else "messages")]
    if isinstance(first, dict) and {"prompt", "response"} <= first.keys():
        return llm_logs.read_rows(values, unread, "line" if lines else "")

    def conversation(number: int, item: Any) -> OtherChat:
        if isinstance(item, BadJsonError):
            raise item
        where = f"line {number}" if lines else f"[{number - 1}]"
        return _conversation(item, where, assets)

    return [
        chat
        for number, item in enumerate(values, 1)
        for chat in unread.read(partial(conversation, number, item))
    ]


def _has_senders(messages: Any) -> bool:
    first = messages[0] if isinstance(messages, list) and messages else None
    return isinstance(first, dict) and {"body", "sender"} <= first.keys()


def _conversation(value: Any, where: str, assets: chatgpt.Assets) -> OtherChat:
    fields.require(value, dict, where)
    if "mapping" in value:
        return chatgpt.read_conversation(value, where, assets)
    if "chat_messages" in value:
        return claude.read_conversation(value, where)
    if "messages" in value and ("users" in value or _has_senders(value["messages"])):
        return jupyter_ai.read_conversation(value, where)
    if "messages" in value:
        return openai_messages.read_conversation(value, where)
    keys = ", ".join(fields.shown(key) for key in list(value)[:5]) or "no keys"
    raise fields.BadChatError(where or "the file", EXPECTED, f"an object with {keys}")
