"""Names of the files that hold conversations, and reading of regular files. Standard library only: kernels start with it."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

SUFFIX = ".msg.md"
"""A message file."""
AGENT_SUFFIXES = (".mtm", ".mutsumi-notebook")
"""A file with an AgentContext (seed 000)."""


def is_agent_file(path: object) -> bool:
    """Return whether a path has the name of a file with an AgentContext."""
    return str(path).endswith(AGENT_SUFFIXES)


def stem_of(name: str) -> str:
    """Return the name or path of a conversation's file without its ending."""
    for suffix in (SUFFIX, ".md", ".ipynb", *AGENT_SUFFIXES):
        if name.endswith(suffix):
            return name.removesuffix(suffix)
    return name


def export_name(name: str, extension: str) -> str:
    """Return the name of a file for others that is made of a conversation's file; never that file's own.

    Args:
        extension: Of the new file, with its dot.
    """
    stem = stem_of(name)
    exported = f"{stem}{extension}"
    return exported if exported != name else f"{stem}-export{extension}"


# Reading of regular files within a limit; never of pipes, devices or endless files.


MOST_BYTES = 1_000_000_000
"""Bytes of a notebook or text; reading it takes several times as much memory."""

_FLAGS = os.O_RDONLY | sum(
    getattr(os, name, 0) for name in ("O_BINARY", "O_CLOEXEC", "O_NONBLOCK", "O_NOCTTY")
)


def read_regular(path: Path, limit: int = MOST_BYTES) -> bytes:
    """Return the bytes of a regular file; links are followed. Never waits for another program.

    Raises:
        OSError: The file is not regular, is longer than `limit`, or cannot be read.
    """
    with open_regular(path, limit) as file:
        return file.read()


def open_regular(path: Path, limit: int = MOST_BYTES) -> BinaryIO:
    """Open a regular file for reading; links are followed. Never waits for another program.

    Raises:
        OSError: The file is not regular, is longer than `limit`, or cannot be read.
    """
    # Checked before opening too, because opening a device can have effects.
    require_regular(path, limit)
    file = os.fdopen(os.open(path, _FLAGS), "rb")
    try:
        _require_regular(os.fstat(file.fileno()), path, limit)
    except OSError:
        file.close()
        raise
    return file


def require_regular(path: Path, limit: int = MOST_BYTES) -> None:
    """Raise `OSError` unless `path` is a regular file that is not longer than `limit`."""
    _require_regular(path.stat(), path, limit)


def _require_regular(found: os.stat_result, path: Path, limit: int) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(found.st_mode):
        words = "expected a regular file, found a pipe, a socket or a device"
        raise OSError(errno.EINVAL, words, str(path))
    if found.st_size > limit:
        words = f"expected at most {limit:,} bytes, found {found.st_size:,}"
        raise OSError(errno.EFBIG, words, str(path))
