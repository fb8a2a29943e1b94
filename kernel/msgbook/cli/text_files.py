"""Check that the file of a verb is a text file."""

from __future__ import annotations

import shlex
from pathlib import Path

from msgbook.cli.usage_errors import CommandError
from msgbook.notebook import NOTEBOOK_SUFFIX, Document


def require_text(path: Path) -> None:
    """Raise `CommandError` for a notebook in JSON: the verb works only on text files.

    Raises:
        DocumentError: The notebook is broken, so it could not be converted to text either.
    """
    if path.suffix == NOTEBOOK_SUFFIX and path.is_file():
        Document.read(path)
        command = f"jupytext --to .msg.md {shlex.quote(str(path))}"
        raise CommandError(
            f"{path}: expected a text file, got a notebook in JSON. Convert it with `{command}`."
        )
