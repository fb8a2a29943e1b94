"""What a verb says when it was not used as it has to be."""

from __future__ import annotations

import shlex
from pathlib import Path

from msgbook.errors import MsgbookError
from msgbook.notebook import NOTEBOOK_SUFFIX


class CommandError(MsgbookError):
    """A verb was not used as it has to be; exit code 2."""


def require_text(path: Path) -> None:
    """Raise `CommandError` for a notebook in JSON, where a verb works on text files alone.

    Raises:
        DocumentError: It is a broken one, which could not be written as text either.
    """
    if path.suffix == NOTEBOOK_SUFFIX and path.is_file():
        from msgbook.notebook import Document

        Document.read(path)
        command = f"jupytext --to .msg.md {shlex.quote(str(path))}"
        raise CommandError(
            f"{path}: expected a text file, found a notebook in JSON; `{command}` writes it as text"
        )
