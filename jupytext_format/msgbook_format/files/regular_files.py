"""Files that are read whole: a name may stand for a pipe, a device, or for more than there is memory."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

MOST_BYTES = 1_000_000_000
"""Of a notebook or a text; to read one takes several times as much memory."""

_FLAGS = os.O_RDONLY | sum(
    getattr(os, name, 0) for name in ("O_BINARY", "O_CLOEXEC", "O_NONBLOCK", "O_NOCTTY")
)


def read_regular(path: Path, limit: int = MOST_BYTES) -> bytes:
    """The bytes of a regular file; links are followed. Never waits for another program.

    Raises:
        OSError: It is something else, is longer than `limit`, or cannot be read.
    """
    # Before it is opened: to open a device may do something.
    require_regular(path, limit)
    with os.fdopen(os.open(path, _FLAGS), "rb") as file:
        _require_regular(os.fstat(file.fileno()), path, limit)
        return file.read()


def require_regular(path: Path, limit: int = MOST_BYTES) -> None:
    """Raise `OSError` unless there is a regular file of that name, not longer than `limit`."""
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
