"""`msgbook fork FILE --at ID`: a new conversation from the beginning of another one."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from msgbook.cli.cell_names import require_cell
from msgbook.cli.terminal import say
from msgbook.cli.usage_errors import CommandError


def add(verbs: Any) -> None:
    """Declare the verb."""
    parser = verbs.add_parser(
        "fork",
        help="begin a new conversation with a part of another",
        description="Write the cells of FILE from the first through the one with that id, with "
        "their answers, into a new file, and print its name. FILE stays as it is.",
    )
    parser.add_argument("file", metavar="FILE")
    parser.add_argument("--at", required=True, metavar="ID", help="the last cell of the new file")
    parser.add_argument(
        "--output", metavar="NEW", help="name of the new file (default: FILE with -fork)"
    )
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    output = Path(arguments.output) if arguments.output is not None else None
    return fork(Path(arguments.file), arguments.at, output)


def fork(path: Path, cell_id: str, output: Path | None = None) -> int:
    """Write the cells up to one of them into a new file; ids stay.

    Args:
        output: The new file; by default the first free `STEM-fork`, `STEM-fork-2`, ....

    Returns:
        0.

    Raises:
        MsgbookError: There is no such file or cell, or the new file cannot be written.
    """
    from msgbook.notebook import Document, create, create_beside, require_name

    document = Document.read(path)
    number = require_cell(document.cells, cell_id, path)
    # In memory: the file that it came from is not written.
    del document.cells[number + 1 :]
    if output is None:
        say(str(create_beside(path, document.notebook, "-fork")))
        return 0
    if output.suffix != path.suffix:
        require_name(output)
    try:
        create(output, document.notebook)
    except FileExistsError:
        raise CommandError(f"{output}: is there already; choose another name") from None
    say(str(output))
    return 0
