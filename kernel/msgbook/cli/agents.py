"""`msgbook agents DIR`: prints the conversations of a folder as a tree."""

from __future__ import annotations

import argparse
import json
import os
import sys
from datetime import datetime
from pathlib import Path

from msgbook.approval import find_project
from msgbook.cli.terminal import CommandError, complain, line_of, say
from msgbook.errors import describe_file_error
from msgbook_format.agent_states import TreeRow, list_folder
from msgbook_format.files import stem_of

_TASK = 80
"""Characters of a task or a name on a line."""


def run(arguments: argparse.Namespace) -> int:
    """Run the verb."""
    return list_agents(Path(arguments.folder), as_json=arguments.json)


def list_agents(folder: Path, *, as_json: bool = False) -> int:
    """Print the conversations of a folder, those of sub-agents below their parents.

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
    status = "-" if state.problem else state.status
    file = folder / os.path.relpath(state.path, folder.resolve())
    task = line_of(state.task or "", _TASK)
    name = "" if state.name == stem_of(state.path.name) else line_of(state.name, _TASK)
    # The name of a sub-agent is the beginning of its task.
    about = [task] if task.startswith(name.removesuffix("...")) else [name, task]
    problem = f"({line_of(row.problem)})" if row.problem else ""
    text = " ".join(filter(None, (": ".join(filter(None, about)), problem)))
    columns = (status, _time(state.changed), "  " * row.depth + line_of(str(file)), text)
    return "\t".join(columns).rstrip()


def _time(seconds: float | None) -> str:
    """Return a time as a person reads it here; `-` for none."""
    if seconds is None:
        return "-"
    try:
        return f"{datetime.fromtimestamp(seconds).astimezone():%Y-%m-%d %H:%M}"
    except (OSError, OverflowError, ValueError):
        return "-"
