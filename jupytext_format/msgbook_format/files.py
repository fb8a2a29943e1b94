"""Message files on disk."""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from msgbook_format.errors import NotAMessageFile, NotUtf8Error
from msgbook_format.frontmatter import parse_frontmatter, section_name, split_frontmatter
from msgbook_format.layout import BOM
from msgbook_format.reader import reads
from msgbook_format.writer import writes

if TYPE_CHECKING:
    from nbformat import NotebookNode

SUFFIX = ".msg.md"


def read_file(path: Path) -> NotebookNode:
    """The notebook in a file; see `msgbook_format.read`."""
    text = decode(path.read_bytes(), path)
    if not path.name.endswith(SUFFIX) and not has_section(text):
        raise NotAMessageFile(path)
    return reads(text)


def write_file(notebook: NotebookNode, path: Path) -> None:
    """Put a notebook into a file; see `msgbook_format.write`."""
    replace_bytes(path, encode(notebook))


def decode(data: bytes, path: Path | str) -> str:
    """The text of a file's bytes; `path` is named in the error.

    Raises:
        NotUtf8Error: the bytes are not UTF-8.
    """
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise NotUtf8Error(path, error.start, data[error.start]) from None


def encode(notebook: NotebookNode) -> bytes:
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


def replace_bytes(path: Path, data: bytes) -> None:
    """Give a file new content at once: whoever reads it sees the old or the new one.

    Its mode stays and symbolic links are followed; a new file gets the usual mode.
    """
    path = path.resolve()
    mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else None
    # A name of its own: one made of a long name would be too long for the file system.
    temporary = path.with_name(f".msgbook-{secrets.token_hex(8)}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    # Never more open than the file that it replaces, not even while it is written.
    handle = os.open(temporary, flags, 0o666 if mode is None else mode)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        if mode is not None:
            temporary.chmod(mode)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
