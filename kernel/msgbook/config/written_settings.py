"""The text of a new `msgbook.toml`, and the safe way to write it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from msgbook.errors import MsgbookError
from msgbook_format.errors import FileChangedError
from msgbook_format.files import create_bytes, replace_bytes

_OWNER_ONLY = 0o600


class SettingsWriteError(MsgbookError):
    """The settings were not written; the message says why."""


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
    saved_key: tuple[str, str | bool] | None = None
    """The setting that says where the key is saved, and its value; None if it is not saved."""

    @property
    def table(self) -> dict[str, str | bool]:
        """The keys of `[providers.NAME]`, in their order."""
        keys = {
            "base_url": self.base_url,
            "api_key_env": self.key_variable,
            **dict([self.saved_key] if self.saved_key else []),
            "api": self.api,
        }
        return {key: value for key, value in keys.items() if value}


def format_model(answers: Answers) -> str:
    """Return the line that names the model."""
    return f"model = {quoted(answers.model)}\n"


def format_table(answers: Answers, name: str) -> str:
    """Return `[providers.NAME]`. A name with other letters than those of bare keys is quoted."""
    key = name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else quoted(name)
    lines = [f"{key} = {_written(value)}\n" for key, value in answers.table.items()]
    return f"[providers.{key}]\n{''.join(lines)}"


def format_toml(answers: Answers, name: str = "main") -> str:
    """Return the text of a new file."""
    model = f"{format_model(answers)}\n" if answers.model else ""
    return f"{model}{format_table(answers, name)}"


def write_settings(path: Path, text: str, *, old: bytes | None) -> Path | None:
    """Write the file, readable only by its owner. One that exists is replaced in one step.

    Args:
        old: The content that is replaced; None if there is no file.

    Returns:
        Path of the copy of the old file; None if there was no file.

    Raises:
        SettingsWriteError: The file cannot be written, or is not as it was. It is unchanged.
    """
    try:
        if old is None:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            create_bytes(path, text.encode(), mode=_OWNER_ONLY, follow=True)
            return None
        backup = _copy(path, old)
        try:
            digest = sha256(old).digest()
            # Users keep such files elsewhere, and link to them.
            replace_bytes(path, text.encode(), expected=digest, mode=_OWNER_ONLY, follow=True)
        except (FileChangedError, OSError):
            # Not after Ctrl+C, which may come when the file has just been replaced.
            backup.unlink()
            raise
        return backup
    except FileChangedError as error:
        raise SettingsWriteError(
            f"{path} has changed meanwhile. Nothing was written: try again."
        ) from error
    except OSError as error:
        raise SettingsWriteError(f"{path}: {error.strerror}") from error


def _copy(path: Path, content: bytes) -> Path:
    """Write the content beside the file, under the first name that is free."""
    number = 1
    while True:
        backup = path.with_name(f"{path.name}.bak{number}")
        try:
            create_bytes(backup, content, mode=_OWNER_ONLY, follow=True)
        except FileExistsError:
            number += 1
        else:
            return backup


def _written(value: str | bool) -> str:
    return "true" if value is True else quoted(str(value))


def quoted(text: str) -> str:
    """Return a TOML string. JSON strings are the same, except for DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
