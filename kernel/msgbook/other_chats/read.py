"""A file or folder of another program: its form is recognized by what it holds, not by its name."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from msgbook.errors import MsgbookError
from msgbook.other_chats import archives, json_text, llm_database
from msgbook.other_chats.chat import OtherChat
from msgbook.other_chats.chatgpt import Assets, no_assets
from msgbook.other_chats.export_folders import Folder
from msgbook.other_chats.recognize import Room, chats_of
from msgbook.other_chats.unread import Unread
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
    """Return the chats of a part of an export; an empty one has none."""
    return _of_text(data, assets, unread, room) if data.strip() else []


def _of_text(data: bytes, assets: Assets, unread: Unread, room: Room) -> list[OtherChat]:
    value, lines = json_text.load(data)
    return chats_of(value, unread, lines=lines, assets=assets, room=room)
