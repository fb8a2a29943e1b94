"""The format `msg`: its names in Jupytext, and the file that is being read or written."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import jupytext.config

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


# Configuration of Jupytext in Python, which may have come with the folder.


Function = Callable[..., Any]


def run_only_the_users_own() -> None:
    """Let Jupytext run a `.jupytext.py` of the user's configuration directories only.

    For one in the notebook's folder or above it, a line on standard error says that it is not run.
    Configuration files of other kinds are followed.
    """
    jupytext.config.parse_jupytext_configuration_file = _without_foreign_programs(
        jupytext.config.parse_jupytext_configuration_file
    )


def _without_foreign_programs(original: Function) -> Function:
    reported = set()

    def replacement(path: str, *args: Any, **kwargs: Any) -> Any:
        own = jupytext.config.find_global_jupytext_configuration_file
        if not path.endswith(".py") or path == own():
            return original(path, *args, **kwargs)
        if path not in reported:
            reported.add(path)
            sys.stderr.write(
                f"[jupytext] {path!r}: configuration in Python is not run here; `jupytext` itself "
                "runs it, and a `jupytext.toml` in its place is followed.\n"
            )
        return {}

    return replacement
