"""`msgbook fork FILE --at ID`: starts a new conversation with the first cells of another one."""

from __future__ import annotations

import argparse
from pathlib import Path

from msgbook.cli.cell_names import require_cell
from msgbook.cli.terminal import say
from msgbook.cli.usage_errors import CommandError
from msgbook.notebook import Document, create, create_beside, require_name


def run(arguments: argparse.Namespace) -> int:
    """Run the verb."""
    output = Path(arguments.output) if arguments.output is not None else None
    return fork(Path(arguments.file), arguments.at, output)


def fork(path: Path, cell_id: str, output: Path | None = None) -> int:
    """Copy the cells up to one of them into a new file. They keep their ids.

    Args:
        output: The new file; by default the first free `STEM-fork`, `STEM-fork-2`, ....

    Returns:
        0.

    Raises:
        MsgbookError: There is no such file or cell, or the new file cannot be written.
    """
    document = Document.read(path)
    number = require_cell(document.cells, cell_id, path)
    # Only in memory: this file is not written.
    del document.cells[number + 1 :]
    if output is None:
        say(str(create_beside(path, document.notebook, "-fork")))
        return 0
    if output.suffix != path.suffix:
        require_name(output)
    try:
        create(output, document.notebook)
    except FileExistsError:
        raise CommandError(f"{output} exists. Choose another name.") from None
    say(str(output))
    return 0
