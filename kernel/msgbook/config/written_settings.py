"""The text of a new or changed `msgbook.toml`, and the safe way to write it."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any

from msgbook.config.lines import keys_of_line
from msgbook.errors import MsgbookError
from msgbook_format.errors import FileChangedError
from msgbook_format.files import create_bytes, replace_bytes
from msgbook_format.typed import as_dict

_OWNER_ONLY = 0o600
"""Mode of the file: it may hold keys in headers."""


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


# A change of an existing `msgbook.toml` that keeps its comments and all its other keys. Pure.


_MODEL = re.compile(r"""(\s*model\s*=\s*)(?:"(?:[^"\\]|\\.)*"|'[^']*')(\s*(?:#.*)?)""")


def edit_settings(text: str, answers: Answers, name: str) -> str:
    """Return the text of the file with the answers as its model and its first, the default provider.

    The first provider is kept if it is the same already. Otherwise a new one is put before it.

    Args:
        text: Text of the file; empty if there is none.
        name: Name of a new provider, as `free_name` returns it.

    Raises:
        SettingsWriteError: The file cannot be read, or cannot be changed safely.
    """
    if not text.strip():
        return format_toml(answers, name)
    old = _parsed(text)
    providers = old.get("providers", {})
    same = _first_table(old) == answers.table
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = text.splitlines(keepends=True)
    if not lines[-1].endswith(("\n", "\r")):
        lines[-1] += newline
    if not same:
        table = format_table(answers, name).splitlines(keepends=True)
        _insert(lines, table, newline, before="providers")
        providers = {name: answers.table, **providers} if isinstance(providers, dict) else {}
    _set_model(lines, answers, newline, exists="model" in old)
    changed = "".join(lines)
    wanted = {**old, "model": answers.model, "providers": providers}
    # The proof that nothing else has changed: an unusual form of the file fails here.
    if not _is(changed, wanted):
        raise SettingsWriteError(
            "The file has a form that cannot be changed safely. Write these lines into it yourself: "
            f"the model at the top, and the table before the other providers.\n\n{format_toml(answers, name)}"
        )
    return changed


def free_name(text: str, wished: str) -> str:
    """Return a name that no provider of the file has: the wished one, or with a number.

    Raises:
        SettingsWriteError: The file cannot be read.
    """
    providers = _parsed(text).get("providers", {})
    taken = as_dict(providers).keys()
    names = (wished if n == 1 else f"{wished}-{n}" for n in count(1))
    return next(name for name in names if name not in taken)


def _parsed(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise SettingsWriteError(
            f"The file is not valid TOML: {error}. Correct it first."
        ) from error


def _first_table(old: dict[str, Any]) -> Any:
    return next(iter(as_dict(old.get("providers")).values()), None)


def _insert(lines: list[str], block: list[str], newline: str, *, before: str) -> None:
    """Insert a block before the first table of that name, else before the first table, else at the end."""
    headers = [i for i, line in enumerate(lines) if line.lstrip().startswith("[")]
    named = [i for i in headers if keys_of_line(lines[i].strip())[:1] == (before,)]
    at = _above_comments(lines, (named or headers or [len(lines)])[0])
    block = [line.replace("\n", newline) for line in block]
    gap = [newline] if at and lines[at - 1].strip() else []
    lines[at:at] = [*gap, *block, newline] if at < len(lines) else [*gap, *block]


def _above_comments(lines: list[str], at: int) -> int:
    """Return the place above the comments that stand directly above a line."""
    while at and lines[at - 1].lstrip().startswith("#"):
        at -= 1
    return at


def _set_model(lines: list[str], answers: Answers, newline: str, *, exists: bool) -> None:
    if not exists:
        # A comment at the top may be about the whole file.
        headers = (i for i, line in enumerate(lines) if line.lstrip().startswith("["))
        at = _above_comments(lines, next(headers, len(lines)))
        lines[at:at] = [format_model(answers).replace("\n", newline), newline]
        return
    for i, line in enumerate(lines):
        body = line.rstrip("\r\n")
        found = _MODEL.fullmatch(body)
        if found:
            lines[i] = f"{found[1]}{quoted(answers.model)}{found[2]}{line[len(body) :]}"
            return


def _is(text: str, wanted: dict[str, Any]) -> bool:
    try:
        found = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return False
    return found == wanted and list(found["providers"]) == list(wanted["providers"])
