"""The `msgbook.toml` that `msgbook doctor --setup` writes."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

from msgbook.cli.usage_errors import CommandError


@dataclass(frozen=True, slots=True)
class Answers:
    """Settings that the user chose."""

    base_url: str
    key_variable: str
    """Name of the variable with the key; empty if the server needs no key."""
    model: str
    """Name of the model; empty if the server offers only one, or if it is set later."""
    api: str = ""
    """The API over which the server is asked; empty for the default of its URL."""


def format_toml(answers: Answers) -> str:
    """Return the text of the file."""
    key = f"api_key_env = {_quoted(answers.key_variable)}\n" if answers.key_variable else ""
    model = f"model = {_quoted(answers.model)}\n\n" if answers.model else ""
    api = f"api = {_quoted(answers.api)}\n" if answers.api else ""
    return f"{model}[providers.main]\nbase_url = {_quoted(answers.base_url)}\n{key}{api}"


def write_settings(path: Path, answers: Answers, *, replace: bool) -> Path | None:
    """Write the file in one step, readable only by its owner.

    Returns:
        Path of the copy of the old file; None if there was no file.

    Raises:
        CommandError: The file cannot be written, or it exists and `replace` is false.
    """
    fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(format_toml(answers))
        if replace:
            backup = _free_name(path)
            os.link(path, backup)
            fresh.replace(path)
            return backup
        # Unlike a rename, a link never replaces a file that was created meanwhile.
        os.link(fresh, path)
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}") from error
    finally:
        fresh.unlink(missing_ok=True)
    return None


def _free_name(path: Path) -> Path:
    number = 1
    while (backup := path.with_name(f"{path.name}.bak{number}")).exists():
        number += 1
    return backup


def _quoted(text: str) -> str:
    """Return a TOML string. JSON strings are the same, except for DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
