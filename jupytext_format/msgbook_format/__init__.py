"""The `.msg.md` file: a notebook with its answers as text, and back.

`reads` and `writes` turn a text into a notebook and back, `read` and `write` do the same with
files, `check` says what in a text is probably not meant as it is read. Their notebooks are
nbformat's, of version 4. Nothing is lost in either direction: docs/format.md, section 1, has the
laws.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import os
    from collections.abc import Collection

    from nbformat import NotebookNode

    from msgbook_format.checks import Finding, OutputFileRule

__all__ = ["check", "read", "reads", "write", "writes"]

# Each function imports what it needs when it is called: Jupyter's servers and command lines
# import this package long before they meet a message file, if ever.


def reads(text: str) -> NotebookNode:
    """The notebook that `text` holds. No text raises: what is odd is content.

    All of the text is messages, unless its frontmatter names a `message_section`. What writing
    would lose of the spelling is in `metadata.msgbook.text` of the notebook and its cells. Equal
    texts give equal notebooks, ids included.
    """
    from msgbook_format.document import reader
    from msgbook_format.nodes import as_nodes

    return as_nodes(reader.reads(text))


def writes(nb: NotebookNode) -> str:
    """The text of `nb`, which is not modified; the inverse of `reads`.

    Equal notebooks give equal text, whatever the order of their keys. The text ends with a
    newline, unless the one that `nb` was read from did not. Data that `read` took from an output
    file stand there as its name: `write` looks whether the file will be found, this does not.

    Raises:
        TypeError: `nb` holds what JSON has no form for.
    """
    from msgbook_format.document import writer

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

    from msgbook_format.files import message_files as files
    from msgbook_format.nodes import as_nodes

    return as_nodes(files.read_file(Path(path)))


def write(nb: NotebookNode, path: str | os.PathLike[str]) -> None:
    """Put `nb` into the file at `path` in one step, so that nobody ever reads half of it.

    Mode and, where permitted, owner stay, symbolic links are followed, other hard links keep the
    old content. What the file holds is not looked at: see `files.Snapshot` for a write that
    refuses to overwrite a later change.

    Raises:
        TypeError: `nb` holds what JSON has no form for; the file is as it was.
        OSError: the file cannot be written, or is read-only; it is as it was then.
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
    """What in `text` is probably not meant as `reads` reads it, by line. No text raises.

    A finding has a `line` (from 1), a `code`, a `message` and `fixable`; docs/commands.md lists
    the codes. Takes time in proportion to the length of the text.

    Args:
        output_file: Is called with the values of `output_file` and `sha256` (None without one) of
            each output that names a file, and says what is wrong with that file, or None. Without
            it no file is looked at.
        agents: Names that the project and the user's settings define; without them a
            `default_agent` is judged only in a text that defines agents itself.
    """
    from msgbook_format import checks

    return checks.check(text, output_file=output_file, agents=agents)
