"""Folders that a command writes into, and names of new files in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgbook.cli.terminal import CommandError
from msgbook.errors import describe_file_error
from msgbook_format.files import require_no_link, require_replaceable

_MOST_NAMES = 10_000
"""Files of one stem in one folder."""


def require_target(path: Path) -> None:
    """Raise `CommandError` if a file cannot be written because its name is that of a link, a folder or a device."""
    try:
        require_replaceable(path)
    except IsADirectoryError as error:
        raise CommandError(
            f"{path}: expected a file, found a folder. Name another one. Nothing was written."
        ) from error
    except (OSError, ValueError) as error:
        raise CommandError(f"{describe_file_error(path, error)}. Nothing was written.") from error


def require_folder(folder: Path) -> None:
    """Raise `CommandError` if the name of a folder is that of a link."""
    try:
        require_no_link(folder)
    except (OSError, ValueError) as error:
        raise CommandError(describe_file_error(folder, error)) from error


def make_folder(folder: Path) -> None:
    """Make a folder unless it is there. Raise `CommandError` if that is not possible, or if it is a link."""
    require_folder(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise CommandError(
            f"{folder}: expected a folder, found a file. Name another one."
        ) from error
    except (OSError, ValueError) as error:
        raise CommandError(describe_file_error(folder, error)) from error


def unused_paths(
    folder: Path, stems: Iterable[str], suffix: str, taken: Iterable[str] = ()
) -> Iterator[Path]:
    """Yield a path for each stem that no file has, on file systems that ignore case too."""
    try:
        present = [entry.name for entry in folder.iterdir()] if folder.is_dir() else []
    except OSError as error:
        raise CommandError(describe_file_error(folder, error)) from error
    used = {name.casefold() for name in (*taken, *present)}
    last: Counter[str] = Counter()
    for stem in stems:
        while True:
            last[stem.casefold()] += 1
            number = last[stem.casefold()]
            name = f"{stem}{suffix}" if number == 1 else f"{stem}-{number}{suffix}"
            if name.casefold() not in used:
                break
            if number > _MOST_NAMES:
                raise CommandError(f"{folder}: there are too many files {stem}-2{suffix}, ...")
        used.add(name.casefold())
        yield folder / name
