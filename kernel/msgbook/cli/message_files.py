"""The file of a verb that works on message files alone, and the agents that are defined outside of it."""

from __future__ import annotations

import shlex
from pathlib import Path

from msgbook.agents import read_project
from msgbook.approval import followed_project
from msgbook.cli.terminal import CommandError
from msgbook.config import load_settings
from msgbook.errors import ConfigError
from msgbook.notebook import NOTEBOOK_SUFFIX, Document
from msgbook_format.files import SUFFIX, is_agent_file


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
