"""Exports of ChatGPT and Claude: archives (.zip), of which nothing is unpacked and no name is a path, and folders."""

from __future__ import annotations

import os
import re
import zipfile
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path

from msgbook.errors import MsgbookError, describe_file_error
from msgbook.extras.other_chats import json_text
from msgbook.extras.other_chats.fields import TooMuchError
from msgbook.images import IMAGE_LIMIT
from msgbook.text import excerpt
from msgbook_format.files import read_regular

MAGIC = (b"PK\x03\x04", b"PK\x05\x06")

CONVERSATIONS = re.compile(
    r"(?:.*/)?\s*conversations(?:-\d{1,6})?\.json", re.DOTALL | re.IGNORECASE
)
_RATIO, _SURELY_FINE = 100, 20_000_000
"""JSON of chats shrinks to a tenth. What claims to shrink more than this, and is large, is not an archive of chats."""
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_BROKEN = (zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, ValueError)  # fmt: skip


def asset_ids(name: str) -> list[str]:
    """Return the ids by which a message may name a file of an export."""
    base = name.rpartition("/")[2]
    # `file-AbC123-photo.png`, `file_0001-sanitized.png`, `file-AbC123.dat`
    stem = re.match(r"(?:file-[A-Za-z0-9]+|file_[A-Za-z0-9]+)", base)
    return [base, stem[0]] if stem else [base]


class BadArchiveError(MsgbookError):
    """An archive that cannot be read, or has no chats."""


class Archive:
    """An opened archive. Close it by `with`.

    Raises:
        BadArchiveError: It cannot be read.
    """

    def __init__(self, path: Path) -> None:
        try:
            self._zip = zipfile.ZipFile(path)
        except _BROKEN as error:
            raise BadArchiveError(f"expected a .zip archive, found: {error}") from None
        self._files: dict[str, zipfile.ZipInfo] | None = None
        self._images: dict[str, bytes] = {}
        self._shown = ShownImages(path.stat().st_size)

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *_error: object) -> None:
        self._zip.close()

    def conversations(self) -> list[tuple[str, Callable[[], bytes]]]:
        """Return name and content of each file of conversations, in the order of the names.

        A content that is broken or too large raises `BadArchiveError`.

        Raises:
            BadArchiveError: There is none.
            TooMuchError: They are too large.
        """
        entries = self._zip.infolist()
        require_entries(len(entries))
        found = [entry for entry in entries if CONVERSATIONS.fullmatch(entry.filename)]
        if not found:
            raise BadArchiveError(
                "expected `conversations.json` in the archive, as ChatGPT and Claude export it, found none"
            )
        require_size(sum(entry.file_size for entry in found))
        return [
            (excerpt(entry.filename, 80), partial(self._read, entry))
            for entry in sorted(found, key=lambda entry: entry.filename)
        ]

    def unread(self) -> list[str]:
        """Return the names of other JSON files."""
        names = [entry.filename for entry in self._zip.infolist()]
        others = [n for n in names if n.endswith(".json") and not CONVERSATIONS.fullmatch(n)]
        return sorted(excerpt(name, 80) for name in others)

    def asset(self, identity: str) -> bytes | None:
        """Return the image whose name begins with an id; None if there is none that can be shown.

        Raises:
            TooMuchError: The images that were asked for are larger than an archive of this size has.
        """
        if self._files is None:
            self._files = {}
            for entry in self._zip.infolist():
                for name in asset_ids(entry.filename):
                    self._files.setdefault(name, entry)
        found = self._files.get(identity)
        if found is None or found.file_size > IMAGE_LIMIT:
            return None
        self._shown.take(found.file_size)
        if identity not in self._images:
            try:
                self._images[identity] = self._read(found)
            except BadArchiveError:
                return None
        return self._images[identity]

    def _read(self, entry: zipfile.ZipInfo) -> bytes:
        name = excerpt(entry.filename, 80)
        if entry.file_size > max(_SURELY_FINE, _RATIO * entry.compress_size):
            raise BadArchiveError(
                f"expected chats in `{name}`, found {entry.file_size:,} bytes packed into {entry.compress_size:,}"
            )
        if entry.compress_type not in _METHODS:
            raise BadArchiveError(
                f"expected `{name}` stored or deflated, found method {entry.compress_type}"
            )
        try:
            with self._zip.open(entry) as file:
                # Never more than the archive says, whatever is packed.
                data = file.read(entry.file_size)
                more = file.read(1)
        except _BROKEN as error:
            raise BadArchiveError(f"`{name}` cannot be read: {error}") from None
        if more or len(data) != entry.file_size:
            raise BadArchiveError(f"`{name}` has another length than the archive says")
        return data


# Exports of ChatGPT and Claude that were unpacked: a folder is read like the archive. Links are not followed.


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


# What may be read of an export, whether it is an archive or a folder. Pure.


MOST_ENTRIES = 200_000
"""Files of an archive, whose list is read into memory before anything else; a small archive can list any number."""
_MOST_BYTES = 1_000_000_000
"""Bytes of all conversations, unpacked: a small archive can hold any number of zeros."""
_SHOWN_START, _SHOWN_FACTOR = 500_000_000, 30
"""Bytes of all images that are shown, one that is shown twice counted twice: a start, and this much for each byte."""


def require_entries(count: int) -> None:
    """Raise `TooMuchError` if an export has too many files."""
    if count > MOST_ENTRIES:
        raise TooMuchError(f"expected at most {MOST_ENTRIES:,} files, found {count:,}")


def require_size(size: int) -> None:
    """Raise `TooMuchError` if all conversations together are too large."""
    if size > _MOST_BYTES:
        raise TooMuchError(f"expected conversations of at most {_MOST_BYTES:,} bytes, found more")


class ShownImages:
    """Counts the bytes of the images that chats show.

    Args:
        size: Bytes of the export.
    """

    def __init__(self, size: int) -> None:
        self._most = _SHOWN_START + _SHOWN_FACTOR * size
        self._shown = 0

    def take(self, size: int) -> None:
        """Count an image before it is read. Raises `TooMuchError` if there are too many."""
        self._shown += size
        if self._shown > self._most:
            raise TooMuchError(f"expected images of at most {self._most:,} bytes, found more")
