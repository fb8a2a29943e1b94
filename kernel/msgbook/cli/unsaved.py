"""What becomes of an answer when the conversation's file cannot be written."""

from __future__ import annotations

import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from msgbook.cli.terminal import say
from msgbook.cli.usage_errors import CommandError
from msgbook.notebook import Document, DocumentError, create, create_beside
from msgbook.text import without_data
from msgbook_format.errors import FileChangedError
from msgbook_format.turn import Turn, answer_text


def unsaved(document: Document, turn: Turn, cause: Exception, *, is_shown: bool) -> CommandError:
    """Keep the conversation elsewhere; the error that says why, and where it is.

    Where no file can be written at all, the text of the answer goes to standard error.

    Args:
        turn: The last one, which is in the document already.
        cause: Why the file could not be written.
        is_shown: Whether a terminal shows the turn anyway.
    """
    kept = _keep_elsewhere(document)
    if kept is None and not is_shown:
        with suppress(OSError):
            say(without_data(answer_text(turn["blocks"])), sys.stderr)
    where = (
        f"with the last answer the conversation is {kept}"
        if kept is not None
        else "no other file could be written, and the last answer stands above only: copy it"
    )
    return CommandError(f"{document.path} is left as it is, since {_why(cause)}; {where}")


def _why(cause: Exception) -> str:
    if isinstance(cause, FileChangedError):
        return "it was changed meanwhile"
    told = cause.strerror if isinstance(cause, OSError) else None
    return f"it could not be written ({told or type(cause).__name__})"


def _keep_elsewhere(document: Document) -> Path | None:
    """Beside the file, else in a temporary folder that only this user can read; None if nowhere."""
    with suppress(DocumentError):
        return create_beside(document.path, document.notebook, ".unsaved")
    with suppress(OSError):
        folder = Path(tempfile.mkdtemp(prefix="msgbook-"))
        try:
            # Under its own name: one that is long already may not take a longer one.
            kept = folder / document.path.name
            create(kept, document.notebook)
        except DocumentError:
            folder.rmdir()
        else:
            return kept
    return None
