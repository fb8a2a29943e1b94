"""Rescue of an answer if the conversation's file cannot be written."""

from __future__ import annotations

import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from msgbook.cli.folders import unused_paths
from msgbook.cli.terminal import say
from msgbook.cli.usage_errors import CommandError
from msgbook.notebook import Document, DocumentError, create, create_beside
from msgbook.text import without_data
from msgbook_format.errors import FileChangedError
from msgbook_format.files import create_bytes, stem_of
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
    advice = "Copy the last answer from above: it is saved nowhere."
    return CommandError(describe_unsaved(document.path, cause, kept, advice))


def describe_unsaved(path: Path, cause: Exception, kept: Path | None, advice: str = "") -> str:
    """Return the words about a file that could not be written.

    Args:
        kept: Where its content is instead; None if no other file could be written either.
        advice: What to do in that case.
    """
    where = (
        f"The conversation with the last answer is in {kept}"
        if kept is not None
        else f"No other file could be written. {advice}".rstrip()
    )
    return f"{path} was not written: {_why(cause)}. {where}"


def keep_content(path: Path, content: bytes) -> Path | None:
    """Write the content of a file that cannot be written beside it, or else into a private temporary folder.

    Returns:
        The file that was written; None if neither works.
    """
    stem = stem_of(path.name)
    with suppress(OSError, CommandError):
        [kept] = unused_paths(path.parent, [f"{stem}.unsaved"], path.name.removeprefix(stem))
        create_bytes(kept, content)
        return kept
    with suppress(OSError):
        kept = Path(tempfile.mkdtemp(prefix="msgbook-")) / path.name
        create_bytes(kept, content)
        return kept
    return None


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
