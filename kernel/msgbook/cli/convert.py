"""`msgbook convert FILE NEW`: writes a conversation in the form that the new name stands for."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from msgbook.cli.terminal import say
from msgbook.cli.usage_errors import CommandError
from msgbook.errors import describe_file_error
from msgbook.notebook import Document, create, require_name
from msgbook_format.document import restore_metadata
from msgbook_format.errors import MessageFileError


def run(arguments: argparse.Namespace) -> int:
    """Run the verb."""
    return convert(Path(arguments.file), Path(arguments.new), force=arguments.force)


def convert(path: Path, new: Path, *, force: bool = False) -> int:
    """Write the conversation of a file into another one and print its name.

    Args:
        new: Its ending chooses the form.
        force: Whether `new` may exist. It has to hold a conversation then.

    Returns:
        0.

    Raises:
        MsgbookError: A file cannot be read or written, or `new` exists and is not to be replaced.
    """
    document = Document.read(path)
    try:
        if force and new.exists():
            present = Document.read(new)
            present.notebook = _replacing(present, document)
            present.save()
        else:
            require_name(new)
            create(new, document.notebook)
    except FileExistsError:
        raise CommandError(
            f"{new} exists. Choose another name, or replace its conversation with --force."
        ) from None
    except (MessageFileError, OSError, ValueError) as error:
        raise CommandError(describe_file_error(new, error)) from error
    say(str(new))
    return 0


def _replacing(present: Document, document: Document) -> dict[str, Any]:
    """Return the notebook to write; a text keeps what its author wrote above the messages."""
    if present.path.suffix != ".md":
        return document.notebook
    return restore_metadata(document.notebook, present.notebook)
