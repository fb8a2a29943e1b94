"""The saved notebook as a source of the conversation, for a kernel that has just been started."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from msgbook.cells import NOTEBOOK_SUFFIX, Cell, source_of
from msgbook.transcript import SessionMemory, Transcript
from msgbook_format.turn import turn_of

SESSION_VARIABLE = "JPY_SESSION_NAME"

_SAVED = (
    "No open page showed this cell, so the request was made of the notebook as it was saved last, and "
    "of what has run since."
)

_NO_PAST = (
    "No open page showed this cell, this session has run nothing above it, and the saved notebook has "
    "no prompt with just its text: the request starts without history. Save the notebook and run the "
    "cell again to have what stands above it sent."
)

_SESSION_ALONE = (
    "No open page showed this cell, and the saved notebook has no prompt with just its text: the "
    "request was made of the turns of this session alone. Save the notebook and run the cell again to "
    "have all that stands above it sent."
)


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
    # Takes seconds: nbformat imports a parser generator. A kernel starts without it.
    from msgbook.document import Document, DocumentError

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
    below = frozenset(str(cell.get("id")) for cell in cells[found[0] :])
    return Transcript("file", cells[: found[0]], cells[found[0]], metadata=metadata, below=below)


def with_file(session: Transcript, saved: Transcript | None, memory: SessionMemory) -> Transcript:
    """What counts where no page shows the running cell: this session's cells, or the file's, too.

    After a restart the file knows turns that the session does not. Then its cells count, in their
    order: those that the session has run as it has run them, those that it saw deleted not at all,
    and its own that are not saved yet behind the one that they followed.

    Args:
        session: What the session knows above the running cell.
        saved: What the file says, as `file_transcript` gives it.
    """
    if saved is None:
        if not session.earlier:
            return replace(session, note=_NO_PAST)
        return replace(session, note=_SESSION_ALONE) if _knew_more(session) else session
    known = {cell["id"]: cell for cell in session.earlier if "id" in cell}
    above = [cell for cell in saved.earlier if not memory.is_deleted(cell.get("id"))]
    if not any(_id(cell) not in known and _has_turn(cell) for cell in above):
        return session
    memory.metadata = saved.metadata
    cells = [known.get(_id(cell), cell) for cell in above]
    ids = [_id(cell) for cell in above]
    place = 0
    for cell in session.earlier:
        if cell.get("id") is not None and cell["id"] in ids:
            place = ids.index(cell["id"]) + 1
        elif cell.get("id") not in saved.below:
            cells.insert(place, cell)
            ids.insert(place, _id(cell))
            place += 1
    return replace(saved, earlier=cells, note=_SAVED)


def _knew_more(session: Transcript) -> bool:
    """Whether a turn of the session was made of the file: it was sent what the session has not run."""
    turns = (turn_of(output) for cell in session.earlier for output in cell["outputs"])
    return any(turn and turn.get("context", {}).get("source") == "file" for turn in turns)


def _id(cell: Cell) -> str:
    """The id of a cell that may come from a file, so that it may be anything."""
    cell_id = cell.get("id")
    return cell_id if isinstance(cell_id, str) else ""


def _has_turn(cell: Cell) -> bool:
    return any(map(turn_of, cell.get("outputs") or ()))


def _is_prompt_with(cell: Cell, source: str) -> bool:
    return cell.get("cell_type") == "code" and source_of(cell) == source
