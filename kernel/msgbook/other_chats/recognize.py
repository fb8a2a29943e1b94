"""The form of a JSON value, and its chats. Pure."""

from __future__ import annotations

from typing import Any

from msgbook.errors import MsgbookError
from msgbook.other_chats import chatgpt, claude, fields, jupyter_ai, llm_logs, openai_messages
from msgbook.other_chats.chat import OtherChat

EXPECTED = (
    "messages of the OpenAI API, ChatGPT's or Claude's `conversations.json`, `llm logs --json`, or a `.chat` of "
    "jupyter-ai"
)


MOST_MESSAGES = 300_000
"""Messages of all chats of a file. Each takes about 4 kB until it is written."""

_MESSAGES = ("mapping", "chat_messages", "messages")
"""Where the forms have them."""


class Room:
    """The messages that may still be read."""

    def __init__(self, left: int = MOST_MESSAGES) -> None:
        self._left = left

    def take(self, messages: Any) -> None:
        """Count messages before they are read. Raises `MsgbookError` if there are too many."""
        self._left -= len(messages) if isinstance(messages, dict | list) else 1
        if self._left < 0:
            raise MsgbookError(
                f"expected at most {MOST_MESSAGES:,} messages in all chats, found more. Export fewer chats at once"
            )


def chats_of(
    value: Any,
    *,
    lines: bool = False,
    assets: chatgpt.Assets = chatgpt.no_assets,
    room: Room | None = None,
) -> list[OtherChat]:
    """Return the chats of a JSON value.

    Args:
        lines: Whether `value` is a list with a value for each line of a file.
        assets: Returns a file of the archive.
        room: Shared by the files of an archive.

    Raises:
        BadChatError: The value is of no form that is known, or not as its form says.
        MsgbookError: It has too many messages.
    """
    room = room or Room()
    if isinstance(value, dict):
        return [_conversation(value, "", assets, room)]
    values = fields.require(value, list, "the file")
    if not values:
        raise fields.BadChatError("the file", EXPECTED, "an empty list")
    if all(isinstance(item, dict) and "role" in item for item in values[:1]):
        room.take(values)
        return [openai_messages.read_conversation(values, "line" if lines else "messages")]
    first = values[0]
    is_log = isinstance(first, dict) and {"prompt", "response"} <= first.keys()
    if is_log:
        room.take(values)
        return llm_logs.read_rows(values, "line" if lines else "")
    return [
        _conversation(item, f"line {number}" if lines else f"[{number - 1}]", assets, room)
        for number, item in enumerate(values, 1)
    ]


def _has_senders(messages: Any) -> bool:
    first = messages[0] if isinstance(messages, list) and messages else None
    return isinstance(first, dict) and {"body", "sender"} <= first.keys()


def _conversation(value: Any, where: str, assets: chatgpt.Assets, room: Room) -> OtherChat:
    fields.require(value, dict, where)
    room.take(next((value[key] for key in _MESSAGES if key in value), None))
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
