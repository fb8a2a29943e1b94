"""Configuration of Jupytext that is a program: it may have come with the folder."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import jupytext.config

Function = Callable[..., Any]


def run_only_the_users_own() -> None:
    """Let Jupytext run a `.jupytext.py` of the user's configuration directories only.

    Of one beside a notebook, or above it, a line on standard error says that it is not run; what
    other kinds of files set is followed.
    """
    jupytext.config.parse_jupytext_configuration_file = _parsed(
        jupytext.config.parse_jupytext_configuration_file
    )


def _parsed(original: Function) -> Function:
    told = set()

    def replacement(path: str, *args: Any, **kwargs: Any) -> Any:
        own = jupytext.config.find_global_jupytext_configuration_file
        if not path.endswith(".py") or path == own():
            return original(path, *args, **kwargs)
        if path not in told:
            told.add(path)
            sys.stderr.write(
                f"[jupytext] {path!r}: configuration in Python is not run here; `jupytext` itself "
                "runs it, and a `jupytext.toml` in its place is followed.\n"
            )
        return {}

    return replacement
