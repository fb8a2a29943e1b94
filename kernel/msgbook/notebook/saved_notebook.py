"""A notebook as it was saved last, read again only when its file has changed."""

from __future__ import annotations

import stat
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgbook.notebook.cells import NOTEBOOK_SUFFIX, Cell, source_of
from msgbook.notebook.session_memory import RequestedCell
from msgbook_format.garbage import paused

SESSION_VARIABLE = "JPY_SESSION_NAME"

SIZE_LIMIT = 500_000_000
"""Bytes of a file that is read."""


def session_file(environ: Mapping[str, str]) -> Path | None:
    """The file of the notebook that a Jupyter server started this kernel for.

    Servers name it in `JPY_SESSION_NAME`, as it was called then. Clients without a server (nbclient,
    `jupyter console`) do not set it, and a session without a name has the folder there.

    Returns:
        None where the variable names no text or notebook file that exists.
    """
    return regular_notebook(environ.get(SESSION_VARIABLE, ""))


def regular_notebook(name: str) -> Path | None:
    """The text or notebook file with an absolute path; None where there is none."""
    path = Path(name)
    if not path.is_absolute() or path.suffix not in (NOTEBOOK_SUFFIX, ".md"):
        return None
    return path if version_of(path) is not None else None


def version_of(path: Path | None) -> Hashable:
    """What changes whenever a file is written; None where it cannot be read."""
    try:
        found = path.stat() if path is not None else None
    except (OSError, ValueError):
        return None
    if found is None or not stat.S_ISREG(found.st_mode) or found.st_size > SIZE_LIMIT:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


@dataclass(frozen=True, slots=True)
class Saved:
    """A notebook as it was saved last."""

    cells: Sequence[Cell]
    metadata: Mapping[str, Any]
    version: Hashable

    def place_of(self, requested: RequestedCell, saved_id: str | None = None) -> int | None:
        """Where the running cell stands: the one with its id, else the only one with its source.

        Args:
            saved_id: Its id in the file, where it ran before.
        """
        codes = [n for n, cell in enumerate(self.cells) if cell.get("cell_type") == "code"]
        for cell_id in (requested.cell_id, saved_id):
            named = [n for n in codes if cell_id is not None and self.cells[n].get("id") == cell_id]
            if len(named) == 1 and (
                cell_id == requested.cell_id or self._reads(named[0], requested)
            ):
                return named[0]
        same = [n for n in codes if self._reads(n, requested)]
        if len(same) > 1:
            same = [n for n in same if n == requested.position]
        return same[0] if len(same) == 1 else None

    def _reads(self, place: int, requested: RequestedCell) -> bool:
        return source_of(self.cells[place]) == requested.source


class SavedNotebooks:
    """Reads a notebook's file, and again only when it has changed."""

    def __init__(self) -> None:
        self._last: tuple[Path, Saved] | None = None

    def read(self, path: Path) -> Saved | None:
        """The notebook; None when it cannot be read. Reads the whole file: use a thread."""
        version = version_of(path)
        if version is None:
            return None
        if self._last and self._last[0] == path and self._last[1].version == version:
            return self._last[1]
        # The format is imported here: the kernel starts without it.
        from msgbook.notebook.conversation_file import Document, DocumentError

        try:
            with paused():
                document = Document.read(path)
        except DocumentError:
            return None
        saved = Saved(document.cells, document.notebook["metadata"], version)
        self._last = (path, saved)
        return saved
