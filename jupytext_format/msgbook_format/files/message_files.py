"""Message files on disk."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from msgbook_format.document.reader import reads
from msgbook_format.document.writer import writes
from msgbook_format.errors import FileChangedError, NotAMessageFile, NotUtf8Error
from msgbook_format.files.names import SUFFIX
from msgbook_format.files.regular_files import read_regular
from msgbook_format.outputs.files import keep_lost_data, load_output_files
from msgbook_format.syntax.frontmatter import parse_frontmatter, section_name, split_frontmatter
from msgbook_format.syntax.split import BOM

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A message file as it was read; later changes of others are never overwritten."""

    path: Path
    text: str
    """All of the file, with its line ends and byte order mark."""
    digest: bytes
    """SHA-256 of the file's bytes."""

    @classmethod
    def read(cls, path: Path) -> Snapshot:
        """Read a message file.

        Raises:
            NotAMessageFile: The name does not end in `.msg.md`, and the frontmatter has no
                `message_section`.
            NotUtf8Error: The file is not UTF-8.
            OSError: The file cannot be read.
        """
        data = read_regular(path)
        text = decode(data, path)
        if not path.name.endswith(SUFFIX) and not has_section(text):
            raise NotAMessageFile(path)
        return cls(path, text, sha256(data).digest())

    def replace(self, text: str) -> None:
        """Write another text to the file, in one step.

        The file is compared right before it is replaced. A change that another program makes in
        the microseconds between the two is lost: no file system has a lock that editors respect.

        Raises:
            FileChangedError: The file has changed since it was read. It is not written.
            OSError: The file cannot be written. It is unchanged.
        """
        replace_bytes(self.path, text.encode("utf-8"), expected=self.digest)


def read_file(path: Path) -> dict[str, Any]:
    """Return the notebook in a file, as plain JSON; see `msgbook_format.read`."""
    notebook = reads(Snapshot.read(path).text)
    load_output_files(notebook, path)
    return notebook


def write_file(notebook: dict[str, Any], path: Path, *, expected: bytes | None = None) -> None:
    """Write a notebook to a file; see `msgbook_format.write`.

    Args:
        expected: As for `replace_bytes`.
    """
    replace_bytes(path, encode(keep_lost_data(notebook, path)), expected=expected)


def decode(data: bytes, path: Path | str) -> str:
    """Return the text of a file's bytes; the error names `path`.

    Raises:
        NotUtf8Error: The bytes are not UTF-8.
    """
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise NotUtf8Error(path, error.start, data[error.start]) from None


def encode(notebook: dict[str, Any]) -> bytes:
    """Return the bytes of a notebook's message file."""
    try:
        return writes(notebook).encode("utf-8")
    except UnicodeEncodeError:
        # Only verbatim text can hold lone surrogates; formatting escapes them.
        return writes(notebook, verbatim=False).encode("utf-8")


def has_section(text: str) -> bool:
    """Return whether the frontmatter of a Markdown text names a message section."""
    text = text.removeprefix(BOM)
    end = split_frontmatter(text)
    return bool(end) and section_name(parse_frontmatter(text[:end])[0]) is not None


def create_bytes(path: Path, data: bytes, *, mode: int = 0o666) -> None:
    """Write a new file. If it cannot be written, or the user interrupts that, none is left behind.

    Args:
        mode: Its mode, without what the process denies to new files.

    Raises:
        FileExistsError: The file exists. It is not changed.
        OSError: The file cannot be written.
    """
    handle = os.open(path, _NEW, mode)
    try:
        _fill(handle, data)
        _sync_folder(path.parent)
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def replace_bytes(
    path: Path, data: bytes, *, expected: bytes | None = None, mode: int | None = None
) -> None:
    """Replace the content of a file in one step: a reader sees the old or the new content.

    Its mode and, where permitted, its owner stay. Symbolic links are followed; other hard links
    keep the old content. A new file gets the usual mode.

    Args:
        expected: SHA-256 of the content that is replaced; None for any content.
        mode: Its mode afterwards; None for the mode that it has.

    Raises:
        FileChangedError: The file has other content than expected.
        PermissionError: The file or its folder is read-only.
        OSError: The file cannot be written. It is unchanged.
    """
    try:
        old = path.stat()
    except FileNotFoundError:
        old = None
    target = path.resolve()
    if old is not None and not os.access(target, os.W_OK):
        # A new file could replace it all the same, but it was protected for a reason.
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    # Not made from the file's name, because that could become too long for the file system.
    temporary = target.with_name(f".msgbook-{secrets.token_hex(8)}.tmp")
    # Even while it is written, it is no more readable than the file that it replaces.
    usual = 0o666 if mode is None else mode
    first = usual if old is None else stat.S_IMODE(old.st_mode) & 0o700
    handle = os.open(temporary, _NEW, first)
    try:
        _fill(handle, data)
        if old is not None:
            _copy_owner(temporary, old, stat.S_IMODE(old.st_mode) if mode is None else mode)
        if expected is not None and _digest(target) != expected:
            raise FileChangedError(path)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def _fill(handle: int, data: bytes) -> None:
    """Write the content of a new file and close it."""
    with os.fdopen(handle, "wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())


def _copy_owner(temporary: Path, old: os.stat_result, mode: int) -> None:
    """Give a file the owner of the file that it will replace, and a mode, as far as permitted."""
    new = temporary.stat()
    if hasattr(os, "chown") and (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        try:
            os.chown(temporary, old.st_uid, old.st_gid)
        except OSError:
            try:
                os.chown(temporary, -1, old.st_gid)
            except OSError:
                # The rights of its old group are not for another group.
                mode &= ~stat.S_IRWXG
    temporary.chmod(mode)


def _digest(path: Path) -> bytes | None:
    """Return the SHA-256 of a file's bytes; None if there is no file."""
    try:
        return sha256(read_regular(path)).digest()
    except FileNotFoundError:
        return None


def _sync_folder(folder: Path) -> None:
    """Sync a folder, so that a new name in it survives a power cut."""
    if os.name != "posix":
        return
    # The content is already safe, so a file system that cannot do this loses nothing.
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
