"""Opening files by real path: no component may be a link, even one that was put there meanwhile."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from msgbook.approval.roots import Roots
from msgbook.errors import ToolError

_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _NOFOLLOW
# Passing through a folder must not require the right to list it.
_STEP = _FOLDER | getattr(os, "O_PATH", 0)
_READ = os.O_RDONLY | _NOFOLLOW | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
BY_DESCRIPTOR = {os.open, os.stat, os.mkdir, os.unlink, os.rename} <= os.supports_dir_fd


class Place(NamedTuple):
    """An entry of an open folder, as name and `dir_fd` for functions of `os`."""

    name: str
    folder: int | None
    """Descriptor of the folder; None if the system has no such functions."""


def open_folder(roots: Roots, real: Path, flags: int = _FOLDER) -> int:
    """Open a folder by descriptors, from the notebook's folder or from `/`; the caller closes it.

    Raises:
        OSError: It is not a folder, or the path contains a link.
    """
    start = roots.folder if roots.is_inside(real) else Path(real.anchor)
    steps = real.relative_to(start).parts
    descriptor = os.open(start, flags if not steps else _STEP)
    for number, part in enumerate(steps, 1):
        try:
            below = os.open(part, flags if number == len(steps) else _STEP, dir_fd=descriptor)
        finally:
            os.close(descriptor)
        descriptor = below
    return descriptor


@contextmanager
def open_place(roots: Roots, real: Path) -> Iterator[Place]:
    """Yield a real path as an entry of its folder, which stays open meanwhile.

    Raises:
        ToolError: A component of the path is not a folder.
    """
    if not BY_DESCRIPTOR:
        with os_errors_as_tool_errors(roots, real):
            if real.parent.resolve() != real.parent:
                raise ToolError(f"{roots.format_path(real)} changed meanwhile; try again.")
        yield Place(str(real), None)
        return
    with os_errors_as_tool_errors(roots, real):
        descriptor = open_folder(roots, real.parent, _STEP)
    try:
        yield Place(real.name, descriptor)
    finally:
        os.close(descriptor)


def is_folder(roots: Roots, real: Path) -> bool:
    """Return whether a real path is a folder.

    Raises:
        ToolError: It does not exist, or a component of the path is not a folder.
    """
    if real == Path(real.anchor):
        return True
    with open_place(roots, real) as place, os_errors_as_tool_errors(roots, real):
        found = os.stat(place.name, dir_fd=place.folder, follow_symlinks=False)
    return stat.S_ISDIR(found.st_mode)


def read_file(roots: Roots, real: Path, limit: int) -> tuple[bytes, os.stat_result]:
    """Return the first `limit` bytes of a regular file, and its status.

    Raises:
        ToolError: There is no such file, or it is a pipe, a device or a link.
    """
    with (
        open_place(roots, real) as place,
        os_errors_as_tool_errors(roots, real),
        os.fdopen(open_entry(roots, real, place), "rb") as file,
    ):
        return file.read(limit), os.fstat(file.fileno())


def open_entry(roots: Roots, real: Path, place: Place) -> int:
    """Open a regular file for reading; the caller closes it.

    Raises:
        OSError: It cannot be opened.
        ToolError: It is not a regular file.
    """
    # Checked first, since opening a device may have an effect.
    found = os.stat(place.name, dir_fd=place.folder, follow_symlinks=False)
    if not stat.S_ISREG(found.st_mode):
        raise ToolError(f"{roots.format_path(real)} is not a regular file.")
    descriptor = os.open(place.name, _READ, dir_fd=place.folder)
    if not os.path.samestat(found, os.fstat(descriptor)):
        os.close(descriptor)
        raise ToolError(f"{roots.format_path(real)} changed meanwhile; try again.")
    return descriptor


def list_entries(roots: Roots, real: Path) -> list[tuple[str, str]]:
    """Return name and kind (`file`, `folder`, `other`) of the entries of a folder, sorted; links are `other`.

    Raises:
        OSError: It cannot be listed.
    """
    target: int | Path = open_folder(roots, real) if BY_DESCRIPTOR else real
    try:
        with os.scandir(target) as found:
            return sorted((entry.name, _kind(entry)) for entry in found)
    finally:
        if isinstance(target, int):
            os.close(target)


@contextmanager
def os_errors_as_tool_errors(roots: Roots, real: Path) -> Iterator[None]:
    """Turn errors of the system into `ToolError`, in words for the model."""
    try:
        yield
    except OSError as error:
        raise ToolError(f"{roots.format_path(real)}: {error.strerror}") from None


def _kind(entry: os.DirEntry[str]) -> str:
    if entry.is_dir(follow_symlinks=False):
        return "folder"
    return "file" if entry.is_file(follow_symlinks=False) else "other"
