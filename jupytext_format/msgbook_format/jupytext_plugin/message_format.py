"""The format `msg`: its names in Jupytext, and the file that is being read or written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from msgbook_format.files import SUFFIX

FORMAT_NAME = "msg"

_path: ContextVar[str | None] = ContextVar("msgbook_path", default=None)


def is_message_path(path: object) -> bool:
    """Return whether a path has the name of a message file."""
    return str(path).endswith(SUFFIX)


def is_ours(fmt: dict[str, Any]) -> bool:
    """Return whether a format, as Jupytext's dictionary, is ours."""
    return fmt.get("format_name") == FORMAT_NAME


def is_message_suffix(fmt: dict[str, Any]) -> bool:
    """Return whether files of a format, as Jupytext's dictionary, are named like message files."""
    return fmt.get("extension") == ".md" and str(fmt.get("suffix", "")).endswith(".msg")


_target: ContextVar[Callable[[object], Path | None] | None] = ContextVar(
    "msgbook_target", default=None
)


@contextmanager
def reading(path: str) -> Iterator[None]:
    """Note the path that is being read; Jupytext passes on only its extension."""
    token = _path.set(path)
    try:
        yield
    finally:
        _path.reset(token)


def path_being_read() -> str:
    """Return the path that `reading` noted; empty without one."""
    return _path.get() or ""


@contextmanager
def writing(target: Callable[[object], Path | None]) -> Iterator[None]:
    """Note how to find where a text of our format is written.

    Args:
        target: Takes the formats that a notebook's metadata names.
    """
    token = _target.set(target)
    try:
        yield
    finally:
        _target.reset(token)


def is_writing() -> bool:
    """Return whether `writing` is in force."""
    return _target.get() is not None


def path_being_written(formats: object) -> Path | None:
    """Return the path that `writing` finds; None if it is not known."""
    target = _target.get()
    return target(formats) if target else None
