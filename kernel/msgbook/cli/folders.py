"""Folders that a command writes into, names of new files in them, and the files that it changes."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgbook.agents import read_project
from msgbook.approval import followed_project
from msgbook.cli.terminal import CommandError
from msgbook.config import load_settings
from msgbook.errors import ConfigError, describe_file_error
from msgbook.notebook import NOTEBOOK_SUFFIX, Document
from msgbook_format.files import SUFFIX, is_agent_file, require_no_link, require_replaceable

# The file of a verb that works on message files alone, and the agents that are defined outside of it.


def require_text(path: Path) -> None:
    """Raise `CommandError` for a folder, an `.ipynb` or an `.mtm`: the verb works only on message files.

    Raises:
        DocumentError: The notebook is broken, so it could not be converted to text either.
    """
    if path.is_dir():
        raise CommandError(f"{path} is a folder: name the message files in it, such as *{SUFFIX}")
    if path.suffix == NOTEBOOK_SUFFIX and path.is_file():
        Document.read(path)
        raise _wrong_format(path, "a notebook (.ipynb)")
    if is_agent_file(path) and path.is_file():
        Document.read(path)
        raise _wrong_format(path, "a conversation in JSON")


def _wrong_format(path: Path, found: str) -> CommandError:
    text = path.with_name(f"{path.stem}{SUFFIX}")
    command = f"msgbook convert {shlex.quote(str(path))} {shlex.quote(str(text))}"
    return CommandError(
        f"{path}: expected a message file, got {found}. Convert it with `{command}`."
    )


def list_outside_agents(folder: Path) -> frozenset[str] | None:
    """Return the agents that the project and the user's settings define; None if these are unreadable.

    Args:
        folder: Of the message file.
    """
    try:
        configured = load_settings().agents
    except ConfigError:
        return None
    return frozenset({*configured, *read_project(followed_project(folder), folder).agents})


_MOST_NAMES = 10_000
"""Files of one stem in one folder; then no free number is looked for."""


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
