"""The saved notebook, read again only when its file has changed."""

from __future__ import annotations

import stat
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgbook.notebook.cells import NOTEBOOK_SUFFIX, Cell, source_of
from msgbook.notebook.session_memory import RequestedCell
from msgbook_format.files import AGENT_SUFFIXES
from msgbook_format.garbage import paused

SESSION_VARIABLE = "JPY_SESSION_NAME"

_SUFFIXES = (NOTEBOOK_SUFFIX, ".md", *AGENT_SUFFIXES)
"""Endings of the names of files that hold a notebook."""

SIZE_LIMIT = 500_000_000
"""Bytes of the largest file that is read."""


def session_notebook_file(environ: Mapping[str, str]) -> Path | None:
    """Return the file of the notebook that a Jupyter server started this kernel for.

    The server names the file in `JPY_SESSION_NAME` when the kernel starts. Clients without a server
    (nbclient, `jupyter console`) do not set the variable. For a session without a name it is a folder.

    Returns:
        None if the variable does not name an existing text or notebook file.
    """
    return find_notebook_file(environ.get(SESSION_VARIABLE, ""))


def find_notebook_file(name: str) -> Path | None:
    """Return the path if it is absolute and names an existing text or notebook file."""
    path = Path(name)
    if not path.is_absolute() or path.suffix not in _SUFFIXES:
        return None
    return path if file_version(path) is not None else None


def file_version(path: Path | None) -> Hashable:
    """Return a value that changes whenever the file is written; None if the file cannot be read."""
    try:
        found = path.stat() if path is not None else None
    except (OSError, ValueError):
        return None
    if found is None or not stat.S_ISREG(found.st_mode) or found.st_size > SIZE_LIMIT:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


@dataclass(frozen=True, slots=True)
class SavedNotebook:
    """A notebook as it was last saved."""

    cells: Sequence[Cell]
    metadata: Mapping[str, Any]
    version: Hashable

    def find_position(self, requested: RequestedCell, saved_id: str | None = None) -> int | None:
        """Return the position of the running cell: found by its id, else by its source if only one has it.

        Args:
            saved_id: The cell's id in the file, if it ran before.
        """
        codes = [n for n, cell in enumerate(self.cells) if cell.get("cell_type") == "code"]
        for cell_id in (requested.cell_id, saved_id):
            named = [n for n in codes if cell_id is not None and self.cells[n].get("id") == cell_id]
            if len(named) == 1 and (
                cell_id == requested.cell_id or self._has_source(named[0], requested)
            ):
                return named[0]
        same = [n for n in codes if self._has_source(n, requested)]
        if len(same) > 1:
            same = [n for n in same if n == requested.position]
        return same[0] if len(same) == 1 else None

    def _has_source(self, position: int, requested: RequestedCell) -> bool:
        return source_of(self.cells[position]) == requested.source


class SavedNotebookReader:
    """Reads a notebook's file, and again only when it has changed."""

    def __init__(self) -> None:
        self._last: tuple[Path, SavedNotebook] | None = None

    def read(self, path: Path) -> SavedNotebook | None:
        """Return the notebook; None if it cannot be read. Reads the whole file, so call it in a thread."""
        version = file_version(path)
        if version is None:
            return None
        if self._last and self._last[0] == path and self._last[1].version == version:
            return self._last[1]
        # Imported here: the kernel starts without the format.
        from msgbook.notebook.conversation_file import Document, DocumentError

        try:
            with paused():
                document = Document.read(path)
        except DocumentError:
            return None
        saved = SavedNotebook(document.cells, document.notebook["metadata"], version)
        self._last = (path, saved)
        return saved
