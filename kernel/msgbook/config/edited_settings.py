"""A change of an existing `msgbook.toml` that keeps its comments and all its other keys. Pure."""

from __future__ import annotations

import re
import tomllib
from itertools import count
from typing import Any

from msgbook.config.lines import keys_of_line
from msgbook.config.written_settings import (
    Answers,
    SettingsWriteError,
    format_model,
    format_table,
    format_toml,
    quoted,
)

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
    taken = providers.keys() if isinstance(providers, dict) else ()
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
    providers = old.get("providers")
    return next(iter(providers.values()), None) if isinstance(providers, dict) else None


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
