"""The conversations of a folder and of the folders below it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from msgbook.cli.usage_errors import CommandError
from msgbook.errors import describe_file_error
from msgbook.notebook import NOTEBOOK_SUFFIX
from msgbook_format.errors import MessageFileError
from msgbook_format.files import AGENT_SUFFIXES, SUFFIX, Snapshot, stem_of

_ENDINGS = (SUFFIX, ".md", NOTEBOOK_SUFFIX, *AGENT_SUFFIXES)
"""In this order, the first of several files with the same stem counts: the others are paired with it."""


def find_conversations(folder: Path) -> list[Path]:
    """Return the files of a folder, and of those below it, that are conversations by their names.

    Hidden files and folders are left out, links are not followed, and of paired files the text is taken. Whether a notebook is one of ours shows when it is read.

    Raises:
        CommandError: A folder cannot be read.
    """

    def refuse(error: OSError) -> None:
        raise CommandError(describe_file_error(error.filename or folder, error)) from error

    found: list[Path] = []
    for where, folders, names in os.walk(folder, onerror=refuse):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        found += _conversations(Path(where), names)
    return found


def _conversations(folder: Path, names: list[str]) -> Iterator[Path]:
    by_stem: dict[str, list[str]] = {}
    for name in sorted(names):
        path = folder / name
        if name.startswith(".") or not name.endswith(_ENDINGS):
            continue
        if path.is_symlink() or not path.is_file():
            continue
        if _is_ordinary_markdown(path):
            continue
        by_stem.setdefault(stem_of(name), []).append(name)
    for same in by_stem.values():
        yield folder / min(same, key=lambda name: _ENDINGS.index(_ending(name)))


def _ending(name: str) -> str:
    return next(ending for ending in _ENDINGS if name.endswith(ending))


def _is_ordinary_markdown(path: Path) -> bool:
    if path.suffix != ".md" or path.name.endswith(SUFFIX):
        return False
    try:
        Snapshot.read(path)
    except (MessageFileError, OSError, ValueError):
        return True
    return False
