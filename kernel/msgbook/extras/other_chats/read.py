"""A file or folder of another program: its form is recognized by what it holds, not by its name."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from msgbook.errors import MsgbookError
from msgbook.extras.other_chats import (
    archives,
    chatgpt,
    claude,
    fields,
    json_text,
    jupyter_ai,
    llm_database,
    llm_logs,
    openai_messages,
)
from msgbook.extras.other_chats.archives import Folder
from msgbook.extras.other_chats.chat import OtherChat
from msgbook.extras.other_chats.chatgpt import Assets, no_assets
from msgbook.extras.other_chats.fields import TooMuchError, Unread
from msgbook.extras.other_chats.json_text import BadJsonError
from msgbook_format.files import open_regular, read_regular
from msgbook_format.garbage import paused


@dataclass(frozen=True, slots=True)
class ReadChats:
    """The chats of a file or folder."""

    chats: list[OtherChat]
    """At least one."""
    unread: list[str]
    """Why chats beside them could not be read, a reason for each; it names the part, and line or field."""


def read_chats(path: Path) -> ReadChats:
    """Return the chats of a file, or of a folder with the files of an archive.

    Raises:
        MsgbookError: None of it can be read; the message names line or field.
        OSError: It cannot be read.
    """
    unread = Unread()
    with paused():
        chats = _chats(path, unread)
    if not chats:
        raise MsgbookError(_nothing(unread.reasons))
    for chat in chats:
        for branch in (chat, *chat.forks):
            branch.bound_kept()
    return ReadChats(chats, unread.reasons)


def unread_files(path: Path) -> list[str]:
    """Return the names of the JSON files of an export that `read_chats` does not read, such as `projects.json`."""
    export = _export(path)
    if export is None:
        return []
    with export:
        return export.unread()


def _nothing(reasons: list[str]) -> str:
    if not reasons:
        return "expected a chat, found none"
    more = f" (and {len(reasons) - 1:,} more)" if len(reasons) > 1 else ""
    return f"{reasons[0]}{more}"


def _export(path: Path) -> archives.Archive | Folder | None:
    """Return an archive, or a folder with its files; None for any other file."""
    if path.is_dir():
        return Folder(path)
    with open_regular(path) as file:
        return archives.Archive(path) if file.read(4).startswith(archives.MAGIC) else None


def _chats(path: Path, unread: Unread) -> list[OtherChat]:
    room = Room()
    export = _export(path)
    if export is None:
        with open_regular(path) as file:
            if file.read(16) == llm_database.MAGIC:
                return llm_database.read_database(path, unread)
        return _of_text(read_regular(path, json_text.MOST_BYTES), no_assets, unread, room)
    chats: list[OtherChat] = []
    with export:
        for name, content in export.conversations():
            unread.within("")
            for data in unread.read(content):
                unread.within(name)
                for found in unread.read(partial(_of_part, data, export.asset, unread, room)):
                    chats += found
                del data  # before the next one is read
    return chats


def _of_part(data: bytes, assets: Assets, unread: Unread, room: Room) -> list[OtherChat]:
    return _of_text(data, assets, unread, room) if data.strip() else []


def _of_text(data: bytes, assets: Assets, unread: Unread, room: Room) -> list[OtherChat]:
    value, lines = json_text.load(data, _ITEM_KEYS)
    return chats_of(value, unread, lines=lines, assets=assets, room=room)


# The form of a JSON value, and its chats. Pure.


EXPECTED = (
    "messages of the OpenAI API, ChatGPT's or Claude's `conversations.json`, `llm logs --json`, or a `.chat` of "
    "jupyter-ai"
)


MOST_MESSAGES = 300_000
"""Messages of all chats of a file. Each takes about 4 kB until it is written."""

MOST_CHATS = 50_000
"""Chats of a file. Each becomes a file of its own, which takes a few milliseconds to write safely."""

_MESSAGES = ("mapping", "chat_messages", "messages")
"""Where the forms have them."""
_ITEM_KEYS = (*_MESSAGES, "prompt")
"""Keys of which each item of a list has one, unless it is a message."""


class Room:
    """The messages that may still be read."""

    def __init__(self, left: int = MOST_MESSAGES) -> None:
        self._left, self._chats = left, MOST_CHATS

    def take(self, messages: Any) -> None:
        """Count the messages of a chat before they are read; a chat without any takes room, too.

        Raises:
            TooMuchError: There are too many.
        """
        self._chats -= 1
        if self._chats < 0:
            raise TooMuchError(
                f"expected at most {MOST_CHATS:,} chats, found more. Export fewer at once"
            )
        self._left -= max(1, len(messages)) if isinstance(messages, dict | list) else 1
        if self._left < 0:
            raise TooMuchError(
                f"expected at most {MOST_MESSAGES:,} messages in all chats, found more. Export fewer chats at once"
            )


def chats_of(
    value: Any,
    unread: Unread,
    *,
    lines: bool = False,
    assets: chatgpt.Assets = chatgpt.no_assets,
    room: Room | None = None,
) -> list[OtherChat]:
    """Return the chats of a JSON value; an empty list has none.

    Args:
        unread: Collects the errors of chats that stand beside others.
        lines: Whether `value` is a list with a value for each line of a file, or with the line's error.
        assets: Returns a file of the archive.
        room: Shared by the files of an archive.

    Raises:
        BadChatError: The value is of no form that is known, or not as its form says.
        TooMuchError: It has too many messages.
    """
    room = room or Room()
    if isinstance(value, dict):
        return [_conversation(value, "", assets, room)]
    values = fields.require(value, list, "the file")
    errors = [item for item in values if isinstance(item, BadJsonError)]
    first = next((item for item in values if not isinstance(item, BadJsonError)), None)
    if isinstance(first, dict) and "role" in first:
        if errors:  # a line is a message, and a chat with a hole in it is another chat
            raise errors[0]
        room.take(values)
        return [openai_messages.read_conversation(values, "line" if lines else "messages")]
    if isinstance(first, dict) and {"prompt", "response"} <= first.keys():
        room.take(values)
        return llm_logs.read_rows(values, unread, "line" if lines else "")

    def conversation(number: int, item: Any) -> OtherChat:
        if isinstance(item, BadJsonError):
            room.take(None)
            raise item
        where = f"line {number}" if lines else f"[{number - 1}]"
        return _conversation(item, where, assets, room)

    return [
        chat
        for number, item in enumerate(values, 1)
        for chat in unread.read(partial(conversation, number, item))
    ]


def _has_senders(messages: Any) -> bool:
    first = messages[0] if isinstance(messages, list) and messages else None
    return isinstance(first, dict) and {"body", "sender"} <= first.keys()


def _messages_of(value: Any) -> Any:
    """Return the messages of a chat; None for none."""
    if not isinstance(value, dict):
        return None
    return next((value[key] for key in _MESSAGES if key in value), None)


def _conversation(value: Any, where: str, assets: chatgpt.Assets, room: Room) -> OtherChat:
    room.take(_messages_of(value))
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
