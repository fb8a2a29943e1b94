"""The text format `.msg.md`: notebooks with their answers as text.

- `reads` and `writes` convert between a text and a notebook; `read` and `write` do so with files.
- `check` finds what is probably a mistake in a text.

Notebooks are nbformat's, of version 4. Nothing is lost in either direction: docs/format.md,
section 1, has the laws.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Collection

    from nbformat import NotebookNode

    from msgbook_format.finding import Finding, OutputFileRule

__all__ = ["check", "read", "reads", "write", "writes"]

# Each function imports what it needs when it is called, because Jupyter's servers and command lines
# import this package long before they read a message file, if ever.


def reads(text: str) -> NotebookNode:
    """Return the notebook in `text`. No text raises an error: text without meaning is content.

    All of the text is messages, unless its frontmatter names a `message_section`. Spelling that
    writing would change is kept in `metadata.msgbook.text` of the notebook and its cells. Equal
    texts give equal notebooks, ids included.
    """
    from msgbook_format import garbage
    from msgbook_format.document import reader
    from msgbook_format.nodes import as_nodes

    with garbage.paused():
        return as_nodes(reader.reads(text))


def writes(nb: NotebookNode) -> str:
    """Return the text of `nb`, which is not modified; the inverse of `reads`.

    Equal notebooks give equal text, whatever the order of their keys. The text ends with a
    newline, unless the text that `nb` was read from did not. Data that `read` took from an output
    file are written as the name of that file. Unlike `write`, this does not check that the file
    can be found again.

    Raises:
        TypeError: `nb` holds a value that JSON cannot express.
    """
    from msgbook_format.document import writer

    return writer.writes(nb)


def read(path: str | os.PathLike[str]) -> NotebookNode:
    """Return the notebook in the file at `path`.

    Raises:
        NotAMessageFile: The name does not end in `.msg.md`, and the frontmatter has no
            `message_section`.
        NotUtf8Error: The file is not UTF-8.
        OSError: The file cannot be read.
    """
    from pathlib import Path

    from msgbook_format.files import message_files as files
    from msgbook_format.nodes import as_nodes

    return as_nodes(files.read_file(Path(path)))


def write(nb: NotebookNode, path: str | os.PathLike[str]) -> None:
    """Write `nb` to the file at `path` in one step, so that no reader sees half of it.

    Mode and, where permitted, owner stay. Symbolic links are followed; other hard links keep the
    old content. Later changes of the file are overwritten: `files.Snapshot` refuses to do so.

    Raises:
        TypeError: `nb` holds a value that JSON cannot express. The file is unchanged.
        OSError: The file is read-only or cannot be written. It is unchanged.
    """
    from pathlib import Path

    from msgbook_format.files import message_files as files

    files.write_file(nb, Path(path))


def check(
    text: str,
    *,
    output_file: OutputFileRule | None = None,
    agents: Collection[str] | None = None,
) -> list[Finding]:
    """Return the probable mistakes in `text`, by line. No text raises an error.

    A finding has a `line` (from 1), a `code`, a `message` and `fixable`; docs/commands.md lists
    the codes. The time is proportional to the length of the text.

    Args:
        output_file: Is called with the values of `output_file` and `sha256` (or None) of each
            output that names a file, and returns a message if that file cannot be used. Without
            it, files are not checked.
        agents: Names that the project and the user's settings define. Without them, a
            `default_agent` is checked only in a text that defines agents itself.
    """
    from msgbook_format.lazy import load_extra

    find: Callable[..., list[Finding]] = load_extra("msgbook_format", "checks.check")
    return find(text, output_file=output_file, agents=agents)
