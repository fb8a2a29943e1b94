"""Which files are message files, for Jupytext."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

FORMAT_NAME = "msg"
SUFFIX = ".msg.md"

_path: ContextVar[str | None] = ContextVar("msgbook_path", default=None)


def is_message_path(path: object) -> bool:
    """Whether a path has the name of a message file."""
    return str(path).endswith(SUFFIX)


def is_ours(fmt: dict[str, Any]) -> bool:
    """Whether a format, as Jupytext's dictionary, is ours."""
    return fmt.get("format_name") == FORMAT_NAME


def is_message_suffix(fmt: dict[str, Any]) -> bool:
    """Whether files of a format, as Jupytext's dictionary, have the name of a message file."""
    return fmt.get("extension") == ".md" and str(fmt.get("suffix", "")).endswith(".msg")


@contextmanager
def reading(path: str) -> Iterator[None]:
    """Say which file is being read: Jupytext keeps only the extension of its name."""
    token = _path.set(path)
    try:
        yield
    finally:
        _path.reset(token)


def path_being_read() -> str:
    """The path that `reading` said; empty without one."""
    return _path.get() or ""
