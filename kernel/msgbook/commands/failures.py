"""What a verb says when a file cannot be used."""

from __future__ import annotations

from pathlib import Path

from msgbook.errors import MsgbookError


class CommandError(MsgbookError):
    """A verb was not used as it has to be; exit code 2."""


def reason(path: Path | str, error: Exception) -> str:
    """One line about an error with a file: which file, and what is wrong with it."""
    if isinstance(error, OSError):
        told = error.strerror or type(error).__name__
        return f"{path}: {told}"
    text = str(error)
    return text if text.startswith(str(path)) else f"{path}: {text}"
