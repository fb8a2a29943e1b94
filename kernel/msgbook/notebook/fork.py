"""A new conversation that begins with the first cells of another one."""

from __future__ import annotations

from pathlib import Path

from msgbook.notebook.cell_names import find_cell
from msgbook.notebook.conversation_file import Document, create, create_beside, require_name


def fork_conversation(path: Path, cell_id: str, output: Path | None = None) -> Path:
    """Copy the cells up to one of them into a new file, and return its path. They keep their ids.

    Args:
        cell_id: Any name of the cell that `find_cell` takes.
        output: The new file; by default the first free `STEM-fork`, `STEM-fork-2`, ....

    Raises:
        FileExistsError: There is a file `output`.
        MsgbookError: There is no such file or cell, or the new file cannot be written.
    """
    document = Document.read(path)
    number = find_cell(document.cells, cell_id, f"in {path}")
    # Only in memory: this file is not written.
    del document.cells[number + 1 :]
    if output is None:
        return create_beside(path, document.notebook, "-fork")
    if output.suffix != path.suffix:
        require_name(output)
    create(output, document.notebook)
    return output
