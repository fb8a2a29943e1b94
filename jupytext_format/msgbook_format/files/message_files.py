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
from msgbook_format.files.regular_files import read_regular
from msgbook_format.outputs.files import keep_lost_data, load_output_files
from msgbook_format.syntax.frontmatter import parse_frontmatter, section_name, split_frontmatter
from msgbook_format.syntax.split import BOM

SUFFIX = ".msg.md"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A message file as it was read, so that nobody's later change is overwritten."""

    path: Path
    text: str
    """All of the file; line ends and a byte order mark are as they are there."""
    digest: bytes
    """SHA-256 of the file's bytes."""

    @classmethod
    def read(cls, path: Path) -> Snapshot:
        """Read a message file.

        Raises:
            NotAMessageFile: neither is the name `*.msg.md`, nor has the frontmatter a
                `message_section`.
            NotUtf8Error: the file is not UTF-8.
            OSError: the file cannot be read.
        """
        data = read_regular(path)
        text = decode(data, path)
        if not path.name.endswith(SUFFIX) and not has_section(text):
            raise NotAMessageFile(path)
        return cls(path, text, sha256(data).digest())

    def replace(self, text: str) -> None:
        """Put another text into the file, in one step.

        The file is compared right before it is replaced. Between the two another program has some
        microseconds in which its change would be lost; no file system offers a closer lock that
        editors would heed.

        Raises:
            FileChangedError: the file is not as it was read; it is left as it is now.
            OSError: the file cannot be written; it is as it was then.
        """
        replace_bytes(self.path, text.encode("utf-8"), expected=self.digest)


def read_file(path: Path) -> dict[str, Any]:
    """Return the notebook in a file, as plain JSON; see `msgbook_format.read`."""
    notebook = reads(Snapshot.read(path).text)
    load_output_files(notebook, path)
    return notebook


def write_file(notebook: dict[str, Any], path: Path) -> None:
    """Put a notebook into a file; see `msgbook_format.write`."""
    replace_bytes(path, encode(keep_lost_data(notebook, path)))


def decode(data: bytes, path: Path | str) -> str:
    """The text of a file's bytes; `path` is named in the error.

    Raises:
        NotUtf8Error: the bytes are not UTF-8.
    """
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise NotUtf8Error(path, error.start, data[error.start]) from None


def encode(notebook: dict[str, Any]) -> bytes:
    """The bytes of a notebook's file."""
    try:
        return writes(notebook).encode("utf-8")
    except UnicodeEncodeError:
        # Only a verbatim spelling can hold lone surrogates, written anew they are escaped.
        return writes(notebook, verbatim=False).encode("utf-8")


def has_section(text: str) -> bool:
    """Whether the frontmatter of a Markdown text names a message section."""
    text = text.removeprefix(BOM)
    end = split_frontmatter(text)
    return bool(end) and section_name(parse_frontmatter(text[:end])[0]) is not None


def replace_bytes(path: Path, data: bytes, *, expected: bytes | None = None) -> None:
    """Give a file new content at once: whoever reads it sees the old or the new one.

    Its mode and, where permitted, its owner stay. Symbolic links are followed; other hard links
    keep the old content. A new file gets the usual mode.

    Args:
        expected: SHA-256 of what the file has to hold still; None if that does not matter.

    Raises:
        FileChangedError: the file does not hold what is expected.
        PermissionError: the file is read-only, or its folder is.
        OSError: the file cannot be written; it is as it was then.
    """
    try:
        old = path.stat()
    except FileNotFoundError:
        old = None
    target = path.resolve()
    if old is not None and not os.access(target, os.W_OK):
        # A new file could take its place all the same; who protected it did not mean that.
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    # A name of its own: one made of a long name would be too long for the file system.
    temporary = target.with_name(f".msgbook-{secrets.token_hex(8)}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    # Never more open than the file that it replaces, not even while it is written.
    handle = os.open(temporary, flags, 0o666 if old is None else stat.S_IMODE(old.st_mode) & 0o700)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        if old is not None:
            _take_over(temporary, old)
        if expected is not None and _digest(target) != expected:
            raise FileChangedError(path)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def _take_over(temporary: Path, old: os.stat_result) -> None:
    """Give a file the owner and mode of the one that it will replace, as far as permitted."""
    mode = stat.S_IMODE(old.st_mode)
    new = temporary.stat()
    if hasattr(os, "chown") and (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        try:
            os.chown(temporary, old.st_uid, old.st_gid)
        except OSError:
            try:
                os.chown(temporary, -1, old.st_gid)
            except OSError:
                # What its group was allowed is not for another group.
                mode &= ~stat.S_IRWXG
    temporary.chmod(mode)


def _digest(path: Path) -> bytes | None:
    """SHA-256 of a file's bytes; None if it is gone."""
    try:
        return sha256(read_regular(path)).digest()
    except FileNotFoundError:
        return None


def _sync_folder(folder: Path) -> None:
    """Let the new name outlive a power cut, where folders can be synced."""
    if os.name != "posix":
        return
    # The content is safe by now: a file system that cannot do this loses nothing.
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
