"""Which files are message files, for Jupytext."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
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


_target: ContextVar[Callable[[object], Path | None] | None] = ContextVar(
    "msgbook_target", default=None
)


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


@contextmanager
def writing(target: Callable[[object], Path | None]) -> Iterator[None]:
    """Say where texts of our format are written meanwhile: `target` knows it from the formats
    that a notebook's metadata names.
    """
    token = _target.set(target)
    try:
        yield
    finally:
        _target.reset(token)


def is_writing() -> bool:
    """Whether `writing` said where texts go."""
    return _target.get() is not None


def path_being_written(formats: object) -> Path | None:
    """The path that `writing` said; None if it is not known."""
    target = _target.get()
    return target(formats) if target else None
