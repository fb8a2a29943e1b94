"""Configuration of Jupytext in Python, which may have come with the folder."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import jupytext.config

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
