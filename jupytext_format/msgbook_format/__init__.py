"""The `.msg.md` file: a notebook with its answers as text, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import os

    from nbformat import NotebookNode

__all__ = ["read", "reads", "write", "writes"]

# Each function imports what it needs when it is called: Jupyter's servers and command lines
# import this package long before they meet a message file, if ever.


def reads(text: str) -> NotebookNode:
    """The notebook that `text` holds. No text raises: what is odd is content.

    All of the text is messages, unless its frontmatter names a `message_section`.
    """
    from msgbook_format import reader

    return reader.reads(text)


def writes(nb: NotebookNode) -> str:
    """The text of `nb`, which is not modified; the inverse of `reads`."""
    from msgbook_format import writer

    return writer.writes(nb)


def read(path: str | os.PathLike[str]) -> NotebookNode:
    """The notebook in the file at `path`.

    Raises:
        NotAMessageFile: neither is the name `*.msg.md`, nor has the frontmatter a
            `message_section`.
        NotUtf8Error: the file is not UTF-8.
        OSError: the file cannot be read.
    """
    from pathlib import Path

    from msgbook_format import files

    return files.read_file(Path(path))


def write(nb: NotebookNode, path: str | os.PathLike[str]) -> None:
    """Put `nb` into the file at `path` in one step, keeping its mode and following links.

    Raises:
        OSError: the file cannot be written; it is as it was then.
    """
    from pathlib import Path

    from msgbook_format import files

    files.write_file(nb, Path(path))
