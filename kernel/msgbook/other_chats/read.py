"""A file of another program: its form is recognized by what it holds, not by its name."""

from __future__ import annotations

from pathlib import Path

from msgbook.errors import MsgbookError
from msgbook.other_chats import archives, json_text, llm_database
from msgbook.other_chats.chat import OtherChat
from msgbook.other_chats.chatgpt import Assets, no_assets
from msgbook.other_chats.recognize import Room, chats_of
from msgbook_format.files import open_regular, read_regular
from msgbook_format.garbage import paused


def read_chats(path: Path) -> list[OtherChat]:
    """Return the chats of a file, at least one.

    Raises:
        MsgbookError: It holds none, or is broken; the message names line or field.
        OSError: It cannot be read.
    """
    with open_regular(path) as file:
        head = file.read(16)
    room = Room()
    with paused():
        if head == llm_database.MAGIC:
            chats = llm_database.read_database(path)
        elif head.startswith(archives.MAGIC):
            with archives.Archive(path) as archive:
                chats = [
                    chat
                    for name, data in archive.conversations()
                    for chat in _of_text(data, archive.asset, room, name)
                ]
        else:
            chats = _of_text(read_regular(path, json_text.MOST_BYTES), no_assets, room)
    if not chats:
        raise MsgbookError("expected a chat, found none")
    return chats


def unread_files(path: Path) -> list[str]:
    """Return the names of the JSON files of an archive that `read_chats` does not read, such as `projects.json`."""
    with open_regular(path) as file:
        if not file.read(16).startswith(archives.MAGIC):
            return []
    with archives.Archive(path) as archive:
        return archive.unread()


def _of_text(data: bytes, assets: Assets, room: Room, name: str = "") -> list[OtherChat]:
    try:
        value, lines = json_text.load(data)
        return chats_of(value, lines=lines, assets=assets, room=room)
    except MsgbookError as error:
        raise MsgbookError(f"{name}: {error}" if name else str(error)) from None
