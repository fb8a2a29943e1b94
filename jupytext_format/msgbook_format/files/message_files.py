"""Message files on disk."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from msgbook_format.document.reader import reads
from msgbook_format.document.writer import writes
from msgbook_format.errors import NotAMessageFile, NotUtf8Error
from msgbook_format.files.names import SUFFIX
from msgbook_format.files.regular_files import read_regular
from msgbook_format.files.writing import replace_bytes
from msgbook_format.outputs.files import keep_lost_data, load_output_files
from msgbook_format.syntax.frontmatter import parse_frontmatter, section_name, split_frontmatter
from msgbook_format.syntax.split import BOM


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A message file as it was read; later changes of others are never overwritten."""

    path: Path
    text: str
    """All of the file, with its line ends and byte order mark."""
    digest: bytes
    """SHA-256 of the file's bytes."""

    @classmethod
    def read(cls, path: Path) -> Snapshot:
        """Read a message file.

        Raises:
            NotAMessageFile: The name does not end in `.msg.md`, and the frontmatter has no
                `message_section`.
            NotUtf8Error: The file is not UTF-8.
            OSError: The file cannot be read.
        """
        data = read_regular(path)
        text = decode(data, path)
        if not path.name.endswith(SUFFIX) and not has_section(text):
            raise NotAMessageFile(path)
        return cls(path, text, sha256(data).digest())

    def replace(self, text: str) -> None:
        """Write another text to the file, in one step. A link is refused.

        The file is compared right before it is replaced. A change that another program makes in
        the microseconds between the two is lost: no file system has a lock that editors respect.

        Raises:
            FileChangedError: The file has changed since it was read. It is not written.
            OSError: The file cannot be written. It is unchanged.
        """
        replace_bytes(self.path, text.encode("utf-8"), expected=self.digest)


def read_file(path: Path) -> dict[str, Any]:
    """Return the notebook in a file, as plain JSON; see `msgbook_format.read`."""
    notebook = reads(Snapshot.read(path).text)
    load_output_files(notebook, path)
    return notebook


def write_file(notebook: dict[str, Any], path: Path, *, expected: bytes | None = None) -> None:
    """Write a notebook to a file, or to the one that a link leads to; see `msgbook_format.write`.

    Args:
        expected: As for `replace_bytes`.
    """
    replace_bytes(path, encode(keep_lost_data(notebook, path)), expected=expected, follow=True)


def decode(data: bytes, path: Path | str) -> str:
    """Return the text of a file's bytes; the error names `path`.

    Raises:
        NotUtf8Error: The bytes are not UTF-8.
    """
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise NotUtf8Error(path, error.start, data[error.start]) from None


def encode(notebook: dict[str, Any]) -> bytes:
    """Return the bytes of a notebook's message file."""
    try:
        return writes(notebook).encode("utf-8")
    except UnicodeEncodeError:
        # Only verbatim text can hold lone surrogates; formatting escapes them.
        return writes(notebook, verbatim=False).encode("utf-8")


def has_section(text: str) -> bool:
    """Return whether the frontmatter of a Markdown text names a message section."""
    text = text.removeprefix(BOM)
    end = split_frontmatter(text)
    return bool(end) and section_name(parse_frontmatter(text[:end])[0]) is not None
