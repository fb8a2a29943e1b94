"""`msgbook list FILE`, `FILE/agent`, `FILE/ID`: what is in a conversation."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from msgbook.cli.cell_names import require_cell, shown_id, shown_title
from msgbook.cli.terminal import line_of, say
from msgbook.cli.usage_errors import CommandError
from msgbook.errors import describe_file_error
from msgbook.notebook import metadata_of, source_of

_AGENTS = "agent"


def add(verbs: Any) -> None:
    """Declare the verb."""
    parser = verbs.add_parser(
        "list",
        help="list the cells of a conversation, its agents, or print one cell",
        description="FILE: a line for each cell, ID TAB KIND TAB title or first words; the kinds "
        "are prompt, code, note, system and raw. FILE/agent: the names of the agents that it "
        "involves, the default first. FILE/ID: the text of the cell with that id.",
    )
    parser.add_argument("target", metavar="FILE[/agent|/ID]")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    return list_target(arguments.target)


def list_target(target: str) -> int:
    """Print what a target names.

    Returns:
        0.

    Raises:
        CommandError: There is no such cell, or the name of a file cannot be one.
        DocumentError: There is no such file, or it cannot be read.
    """
    from msgbook.notebook import Document
    from msgbook_format.agents import list_agents

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
    """The file of a target and what stands behind it; names of folders may hold anything."""
    path = Path(target)
    try:
        behind = not path.exists() and path.parent.exists() and not path.parent.is_dir()
    except OSError as error:
        raise CommandError(describe_file_error(path, error)) from error
    return (path.parent, path.name) if behind else (path, None)


def _kind(cell: dict[str, Any], notebook: dict[str, Any]) -> str:
    from msgbook_format.cells import is_code
    from msgbook_format.syntax import Dialect

    if cell["cell_type"] == "code":
        dialect = Dialect.from_metadata(notebook["metadata"], None)
        return "code" if is_code(source_of(cell), dialect) else "prompt"
    if cell["cell_type"] == "markdown":
        return "system" if metadata_of(cell).get("role") == "system" else "note"
    return "raw"
