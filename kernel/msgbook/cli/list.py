"""`msgbook list FILE`, `FILE/agent`, `FILE/ID`: prints the cells or agents of a conversation."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from msgbook.cli.file_prompts import require_cell, shown_id, shown_title
from msgbook.cli.terminal import CommandError, line_of, say
from msgbook.errors import describe_file_error
from msgbook.notebook import NOTEBOOK_SUFFIX, Document, metadata_of, source_of
from msgbook_format.agents import list_agents
from msgbook_format.cells import is_code
from msgbook_format.files import AGENT_SUFFIXES, SUFFIX
from msgbook_format.syntax import Dialect

_AGENTS = "agent"


def run(arguments: argparse.Namespace) -> int:
    """Run the verb."""
    return list_target(arguments.target)


def list_target(target: str) -> int:
    """Print the cells of a file, its agents, or one of its cells.

    Returns:
        0.

    Raises:
        NoSuchCellError: There is no such cell.
        CommandError: The name cannot be one of a file.
        DocumentError: There is no such file, or it cannot be read.
    """
    path, part = _split(target)
    notebook = Document.read(path).notebook
    if part is None:
        for cell in notebook["cells"]:
            say("\t".join((shown_id(cell), _kind(cell, notebook), shown_title(cell))))
    elif part == _AGENTS:
        for name in list_agents(notebook):
            say(line_of(name))
    else:
        say(source_of(notebook["cells"][require_cell(notebook["cells"], part, path)]))
    return 0


def _split(target: str) -> tuple[Path, str | None]:
    """Split a target into its file and what follows; folder names may contain any character."""
    path = Path(target)
    try:
        is_below_file = not path.exists() and not path.parent.is_dir() and _is_file(path.parent)
    except OSError as error:
        raise CommandError(describe_file_error(path, error)) from error
    return (path.parent, path.name) if is_below_file else (path, None)


def _is_file(path: Path) -> bool:
    return path.exists() or path.name.endswith((SUFFIX, NOTEBOOK_SUFFIX, *AGENT_SUFFIXES))


def _kind(cell: dict[str, Any], notebook: dict[str, Any]) -> str:
    if cell["cell_type"] == "code":
        dialect = Dialect.from_metadata(notebook["metadata"], None)
        return "code" if is_code(source_of(cell), dialect) else "prompt"
    if cell["cell_type"] == "markdown":
        return "system" if metadata_of(cell).get("role") == "system" else "note"
    return "raw"
