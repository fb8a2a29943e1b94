"""A mark on a file that one process writes again and again: the conversation of a running sub-agent.

While it is there, nobody else should save the file. The mark is a lock of the operating system, so it
ends with the process, however that ends. Windows has no such locks, and no marks.
"""

from __future__ import annotations

import importlib
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

_fcntl: Any = importlib.import_module("fcntl") if os.name == "posix" else None


class WriteMark:
    """The mark of one file. Use it as a context: it ends with it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor: int | None = None

    def renew(self) -> None:
        """Mark the file as it is now. Call it after each write that replaces the file."""
        before = self._descriptor
        if _fcntl is None:
            return
        with suppress(OSError):
            # A file that is gone, or on a file system without locks, has no mark.
            self._descriptor = os.open(self._path, os.O_RDONLY | os.O_NOFOLLOW)
            _fcntl.flock(self._descriptor, _fcntl.LOCK_EX | _fcntl.LOCK_NB)
        if before is not None and before != self._descriptor:
            os.close(before)

    def __enter__(self) -> WriteMark:
        return self

    def __exit__(self, *_: object) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def is_marked(path: Path) -> bool:
    """Return whether a running process has marked the file."""
    if _fcntl is None:
        return False
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        _fcntl.flock(descriptor, _fcntl.LOCK_SH | _fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return False
