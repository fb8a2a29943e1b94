"""Errors of the text format. Text is never an error: without another meaning it is content."""

from __future__ import annotations

from pathlib import Path


class MessageFileError(ValueError):
    """A file could not be read or written as a message file."""


class NotAMessageFile(MessageFileError):  # noqa: N818  # a name relied on from outside
    """A Markdown file has no `message_section` in its frontmatter, so it holds no messages."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"{path}: expected a `.msg.md` file, or a `.md` file whose frontmatter has the key "
            "`message_section`. It is neither. To keep messages below its heading `Discussion`, add "
            "`message_section: true` to its frontmatter."
        )
        self.path = path


class NotUtf8Error(MessageFileError):
    """A file is not UTF-8; `offset` is the first byte that does not decode, from 0."""

    def __init__(self, path: Path | str, offset: int, byte: int) -> None:
        super().__init__(
            f"{path}: expected UTF-8 text, found byte 0x{byte:02x} at offset {offset}. "
            "Convert the file to UTF-8, or open it with an editor that knows its encoding. "
            "The file is unchanged."
        )
        self.path = path
        self.offset = offset


class NotANotebookError(MessageFileError):
    """A file holds no JSON notebook that can be read."""

    def __init__(self, path: Path | str, found: str) -> None:
        super().__init__(f"{path}: expected a notebook, found {found}")
        self.path = path


class FileChangedError(MessageFileError):
    """A file has changed since it was read; writing it would lose that change."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"{path}: the file has been changed or removed since it was read. "
            "Nothing was written; run the command again."
        )
        self.path = path


class NotReplaceableError(OSError):
    """A file cannot be replaced in one step where it is: its folder takes no new file, or its name stays taken."""

    @classmethod
    def of(cls, error: OSError) -> NotReplaceableError:
        """Return the error that tells what `error` tells."""
        return cls(error.errno, error.strerror, error.filename)
