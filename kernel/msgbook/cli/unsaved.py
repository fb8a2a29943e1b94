"""Rescue of an answer if the conversation's file cannot be written."""

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


def save_elsewhere(
    document: Document, turn: Turn, cause: Exception, *, is_shown: bool
) -> CommandError:
    """Save the conversation elsewhere and return the error that says why and where.

    If no file can be written at all, the text of the answer is printed on standard error.

    Args:
        turn: The last turn, which is in the document already.
        cause: The error that writing the file raised.
        is_shown: Whether a terminal shows the turn anyway.
    """
    kept = _keep_elsewhere(document)
    if kept is None and not is_shown:
        with suppress(OSError):
            say(without_data(answer_text(turn["blocks"])), sys.stderr)
    where = (
        f"The conversation with the last answer is in {kept}"
        if kept is not None
        else "No other file could be written. Copy the last answer from above: it is saved nowhere."
    )
    return CommandError(f"{document.path} was not written: {_why(cause)}. {where}")


def _why(cause: Exception) -> str:
    if isinstance(cause, FileChangedError):
        return "it has changed since it was read"
    message = cause.strerror if isinstance(cause, OSError) else None
    return message or type(cause).__name__


def _keep_elsewhere(document: Document) -> Path | None:
    """Save beside the file, or else in a private temporary folder; None if neither works."""
    with suppress(DocumentError):
        return create_beside(document.path, document.notebook, ".unsaved")
    with suppress(OSError):
        folder = Path(tempfile.mkdtemp(prefix="msgbook-"))
        try:
            # With its own name: a longer one may be too long.
            kept = folder / document.path.name
            create(kept, document.notebook)
        except DocumentError:
            folder.rmdir()
        else:
            return kept
    return None
