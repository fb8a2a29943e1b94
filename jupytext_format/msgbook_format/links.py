"""Symbolic links, as all versions of Python follow them alike."""

from __future__ import annotations

import errno
import os
from pathlib import Path

_WINDOWS_LOOP = 1921
"""ERROR_CANT_RESOLVE_FILENAME"""


def real_path(path: Path) -> Path:
    """Return an absolute path with each link in it followed; nothing needs to exist there.

    `Path.resolve` raises a `RuntimeError` for a loop of links until Python 3.12, and later
    returns a path into the loop.

    Raises:
        OSError: Links lead round in a loop; `errno` is `ELOOP`.
        ValueError: The path holds a character that no path has.
    """
    real = Path(os.path.realpath(path))
    try:
        real.stat()
    except OSError as error:
        if error.errno == errno.ELOOP or getattr(error, "winerror", None) == _WINDOWS_LOOP:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path)) from error
    return real
