"""The saved notebook as a source of the conversation, for a kernel that has just been started."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgbook.cells import source_of
from msgbook.document import NOTEBOOK_SUFFIX, Document, DocumentError
from msgbook.transcript import Transcript

SESSION_VARIABLE = "JPY_SESSION_NAME"


def session_file(environ: Mapping[str, str]) -> Path | None:
    """The file of the notebook that a Jupyter server started this kernel for.

    Servers name it in `JPY_SESSION_NAME`, as it was called then. Clients without a server (nbclient,
    `jupyter console`) do not set it, and a session without a name has the folder there.

    Returns:
        None where the variable names no text or notebook file that exists.
    """
    name = environ.get(SESSION_VARIABLE, "")
    path = Path(name)
    if not path.is_absolute() or path.suffix not in (NOTEBOOK_SUFFIX, ".md"):
        return None
    try:
        return path if path.is_file() else None
    except (OSError, ValueError):
        return None


def file_transcript(path: Path, cell_id: str | None, source: str) -> Transcript | None:
    """The cells above the running one as they were saved last. Reads the whole file: use a thread.

    The running cell is the one with its id, if that has its source; else the only one with its
    source, since ids of a text file may follow from the source.

    Returns:
        None when the file cannot be read, or the running cell is not to be found in it.
    """
    try:
        document = Document.read(path)
    except DocumentError:
        return None
    cells, metadata = document.cells, document.notebook["metadata"]
    same = [n for n, cell in enumerate(cells) if _is_prompt_with(cell, source)]
    named = [n for n in same if cell_id is not None and cells[n].get("id") == cell_id]
    found = named or same
    if len(found) != 1:
        return None
    return Transcript("file", cells[: found[0]], cells[found[0]], metadata=metadata)


def _is_prompt_with(cell: dict[str, Any], source: str) -> bool:
    return cell.get("cell_type") == "code" and source_of(cell) == source
