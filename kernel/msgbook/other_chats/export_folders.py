"""Exports of ChatGPT and Claude that were unpacked: a folder is read like the archive. Links are not followed."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

from msgbook.errors import MsgbookError, describe_file_error
from msgbook.images import IMAGE_LIMIT
from msgbook.other_chats import json_text
from msgbook.other_chats.archives import CONVERSATIONS, asset_ids
from msgbook.other_chats.export_bounds import ShownImages, require_entries, require_size
from msgbook.text import excerpt
from msgbook_format.files import read_regular


class BadFolderError(MsgbookError):
    """A folder that has no chats, or a file of it that cannot be read."""


class Folder:
    """A folder with the files of an export.

    Raises:
        TooMuchError: It has too many files.
    """

    def __init__(self, path: Path) -> None:
        self._files: dict[str, Path] = {}
        for folder, _, names in os.walk(path):
            for name in sorted(names):
                file = Path(folder, name)
                if not file.is_symlink():
                    self._files[file.relative_to(path).as_posix()] = file
            require_entries(len(self._files))
        self._assets: dict[str, Path] = {}
        for name, file in self._files.items():
            for asset in asset_ids(name):
                self._assets.setdefault(asset, file)
        self._shown = ShownImages(sum(map(_size, self._files.values())))

    def __enter__(self) -> Folder:
        return self

    def __exit__(self, *_error: object) -> None:
        """Nothing is open."""

    def conversations(self) -> list[tuple[str, Callable[[], bytes]]]:
        """Return name and content of each file of conversations, in the order of the names.

        A content that cannot be read raises `BadFolderError`.

        Raises:
            BadFolderError: There is none.
            TooMuchError: They are too large.
        """
        found = sorted(name for name in self._files if CONVERSATIONS.fullmatch(name))
        if not found:
            raise BadFolderError(
                "expected `conversations.json` in the folder, as ChatGPT and Claude export it, found none"
            )
        require_size(sum(_size(self._files[name]) for name in found))
        return [(excerpt(name, 80), partial(self._read, name)) for name in found]

    def unread(self) -> list[str]:
        """Return the names of other JSON files."""
        others = (n for n in self._files if n.endswith(".json") and not CONVERSATIONS.fullmatch(n))
        return sorted(excerpt(name, 80) for name in others)

    def asset(self, identity: str) -> bytes | None:
        """Return the image whose name begins with an id; None if there is none that can be shown.

        Raises:
            TooMuchError: The images that were asked for are larger than a folder of this size has.
        """
        file = self._assets.get(identity)
        try:
            image = read_regular(file, IMAGE_LIMIT) if file else None
        except OSError:
            return None
        self._shown.take(len(image or b""))
        return image

    def _read(self, name: str) -> bytes:
        try:
            return read_regular(self._files[name], json_text.MOST_BYTES)
        except OSError as error:
            file = excerpt(name, 80)
            raise BadFolderError(describe_file_error(f"`{file}` cannot be read", error)) from None


def _size(file: Path) -> int:
    try:
        return file.lstat().st_size
    except OSError:  # deleted since
        return 0
