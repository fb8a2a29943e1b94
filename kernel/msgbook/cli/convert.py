"""`msgbook convert FILE NEW`: writes a conversation in the form that the new name stands for."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from msgbook.cli.terminal import line_of, say
from msgbook.cli.usage_errors import CommandError
from msgbook.errors import describe_file_error
from msgbook.notebook import Document, create, require_name
from msgbook_format.document import restore_metadata
from msgbook_format.errors import MessageFileError
from msgbook_format.files import AGENT_SUFFIXES
from msgbook_format.syntax import has_msgbook_kernel


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
    _require_prompts(document, new)
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


def _require_prompts(document: Document, new: Path) -> None:
    """Raise `CommandError` if an agent's file is to be made of a notebook of another kernel."""
    metadata = document.notebook["metadata"]
    if not new.name.endswith(AGENT_SUFFIXES) or has_msgbook_kernel(metadata):
        return
    kernelspec = metadata.get("kernelspec")
    name = kernelspec.get("name") if isinstance(kernelspec, dict) else None
    has = f"the kernel {line_of(str(name))}, not msgbook" if name else "no kernel"
    raise CommandError(
        f"{document.path} has {has}, so it cannot become an {new.suffix} file. Nothing was written."
    )


def _replacing(present: Document, document: Document) -> dict[str, Any]:
    """Return the notebook to write; a text keeps what its author wrote above the messages."""
    if present.path.suffix != ".md":
        return document.notebook
    return restore_metadata(document.notebook, present.notebook)
