"""`msgbook agents DIR`: prints the agents of a folder's conversations as a tree."""

from __future__ import annotations

import argparse
import json
import os
import sys
from datetime import datetime
from pathlib import Path

from msgbook.approval import find_project
from msgbook.cli.terminal import complain, line_of, say
from msgbook.cli.usage_errors import CommandError
from msgbook.errors import describe_file_error
from msgbook_format.agent_states import TreeRow, list_folder
from msgbook_format.files import stem_of

_TASK = 80
"""Characters of a task or a name on a line."""


def run(arguments: argparse.Namespace) -> int:
    """Run the verb."""
    return list_agents(Path(arguments.folder), as_json=arguments.json)


def list_agents(folder: Path, *, as_json: bool = False) -> int:
    """Print the agents of a folder's conversations: children below their parents.

    Returns:
        0.

    Raises:
        CommandError: The folder cannot be read.
    """
    try:
        rows = list_folder(folder, find_project(folder))
    except (OSError, ValueError) as error:
        # A path with NUL is a ValueError.
        raise CommandError(describe_file_error(folder, error)) from error
    if as_json:
        states = [row.to_json() for row in rows]
        json.dump(states, sys.stdout, ensure_ascii=True, indent=2)
        say("")
        return 0
    if not rows:
        complain("agents", f"{folder}: no conversations")
    for row in rows:
        say(_line(row, folder))
    return 0


def _line(row: TreeRow, folder: Path) -> str:
    state = row.state
    file = folder / os.path.relpath(state.path, folder.resolve())
    about = [] if state.name == stem_of(state.path.name) else [line_of(state.name, _TASK)]
    about += [line_of(state.task, _TASK)] if state.task else []
    problem = row.problem
    text = ": ".join(about) + (f" ({line_of(problem)})" if problem else "")
    return "\t".join(
        (
            "-" if state.problem else state.status,
            _time(state.changed),
            "  " * row.depth + line_of(str(file)),
            text,
        )
    ).rstrip()


def _time(seconds: float | None) -> str:
    """Return a time as a person reads it here; `-` for none."""
    try:
        return (
            "-"
            if seconds is None
            else f"{datetime.fromtimestamp(seconds).astimezone():%Y-%m-%d %H:%M}"
        )
    except (OSError, OverflowError, ValueError):
        return "-"
