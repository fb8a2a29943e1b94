"""Paths as they are on disk: symbolic links followed alike by all versions of Python, names in any Unicode form."""

from __future__ import annotations

import errno
import os
import unicodedata
from collections.abc import Iterator, Sequence
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

    A name that exists stays. For one that does not, the first one whose NFC is equal is taken, and that leads to
    something rather than one that does not.
    """
    if str(path).isascii() or os.path.lexists(path):
        return path
    anchor, parts = Path(path.anchor), path.parts[1:] if path.anchor else path.parts
    return next(_existing(anchor, parts), None) or _nearest(anchor, parts)


def _existing(folder: Path, parts: Sequence[str]) -> Iterator[Path]:
    """Yield the paths that exist and whose NFC is equal."""
    if not parts:
        yield folder
        return
    for name in _equal_names(folder, parts[0]):
        yield from _existing(folder / name, parts[1:])


def _nearest(folder: Path, parts: Sequence[str]) -> Path:
    """Return a path that does not exist, with the names of the folders above it that do."""
    for place, part in enumerate(parts):
        name = next(_equal_names(folder, part), None)
        if name is None:
            return folder.joinpath(*parts[place:])
        folder /= name
    return folder


def _equal_names(folder: Path, name: str) -> Iterator[str]:
    """Yield the names in a folder whose NFC is equal, the same name first."""
    if os.path.lexists(folder / name):
        yield name
    if name.isascii():  # has one form only
        return
    wanted = nfc(name)
    try:
        with os.scandir(folder) as entries:
            equal = [e.name for e in entries if not e.name.isascii() and nfc(e.name) == wanted]
    except OSError:
        return
    yield from sorted(one for one in equal if one != name)
