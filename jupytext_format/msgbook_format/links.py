"""Paths as they are on disk: symbolic links followed alike by all versions of Python, names in any Unicode form."""

from __future__ import annotations

import errno
import os
import unicodedata
from pathlib import Path

_WINDOWS_LOOP = 1921
"""ERROR_CANT_RESOLVE_FILENAME"""


def real_path(path: Path) -> Path:
    """Return an absolute path with each link in it followed; nothing needs to exist there.

    `Path.resolve` raises a `RuntimeError` for a loop of links until Python 3.12, and later
    returns a path into the loop. Names are spelled as by `spelled_on_disk`.

    Raises:
        OSError: Links lead round in a loop; `errno` is `ELOOP`.
        ValueError: The path holds a character that no path has.
    """
    real = Path(os.path.realpath(spelled_on_disk(path)))
    try:
        real.stat()
    except OSError as error:
        if error.errno == errno.ELOOP or getattr(error, "winerror", None) == _WINDOWS_LOOP:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path)) from error
    return real


def nfc(name: str) -> str:
    """Return a name with each letter and its accents as one character: models and most keyboards write so."""
    return name if name.isascii() else unicodedata.normalize("NFC", name)


def spelled_on_disk(path: Path) -> Path:
    """Return a path with the names that the file system has: a Mac may have written `ü` as `u` and two dots.

    A name that exists stays. For one that does not, the first one whose NFC is equal is taken.
    """
    if str(path).isascii() or os.path.lexists(path):
        return path
    found = Path(path.anchor)
    for part in path.parts[1:] if path.anchor else path.parts:
        exact = found / part
        # Names in ASCII have one form only.
        found = exact if part.isascii() or os.path.lexists(exact) else _equal_name(found, part)
    return found


def _equal_name(folder: Path, name: str) -> Path:
    wanted = nfc(name)
    try:
        with os.scandir(folder) as entries:
            equal = [e.name for e in entries if not e.name.isascii() and nfc(e.name) == wanted]
    except OSError:
        equal = []
    return folder / min(equal, default=name)
