"""Message files and files with an AgentContext on disk, and Markdown files that become conversations."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from msgbook_format.document.reader import reads
from msgbook_format.document.writer import writes
from msgbook_format.errors import NotAMessageFile, NotUtf8Error
from msgbook_format.files.names import SUFFIX, read_regular
from msgbook_format.files.writing import replace_bytes
from msgbook_format.lazy import load_extra
from msgbook_format.outputs.files import keep_lost_data, load_output_files
from msgbook_format.syntax.frontmatter import parse_frontmatter, section_name, split_frontmatter
from msgbook_format.syntax.frontmatter_key import FrontmatterError, with_frontmatter_key
from msgbook_format.syntax.lines import MARKER
from msgbook_format.syntax.split import BOM, split_section


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


# Files with an AgentContext on disk: `.mtm` and `.mutsumi-notebook` (seed 000).


def parse_agent_file(data: bytes, path: Path | str) -> dict[str, Any]:
    """Return the notebook in the bytes of the file at `path`.

    Raises:
        MessageFileError: They hold no AgentContext.
    """
    parse: Callable[[bytes, Path | str], dict[str, Any]] = load_extra(
        "msgbook_format", "agent_files.parse"
    )
    return parse(data, path)


def encode_agent_file(
    notebook: dict[str, Any], path: Path | str, *, present: bytes | None, folder: Path | None
) -> bytes:
    """Return the bytes of a notebook's file.

    Args:
        path: Name of the file, for an error; its stem names a new agent.
        present: Content of the file, which keeps its spelling where nothing has changed; None for a
            new file.
        folder: The folder that a new agent is allowed to use; None if it is not known.

    Raises:
        MessageFileError: The notebook has another kernel, or `present` holds no AgentContext.
    """
    encode: Callable[..., bytes] = load_extra("msgbook_format", "agent_files.encode")
    return encode(notebook, path, present=present, folder=folder)


# Ordinary Markdown files that become conversations.


SECTION = "Discussion"
"""Heading of the messages that `message_section: true` stands for (seed 004)."""

_KEY = "message_section"
_NAMED = re.compile(rf"^([\"']?){_KEY}\1[ \t]*:", re.M)
_BEGINS_WITH_CELL = re.compile(rf"\s*^{MARKER}", re.M)
_OPENING = re.compile(r"(---|\+\+\+)[ \t]*\r?(\n|$)")


def with_message_section(text: str) -> str:
    """Return an ordinary Markdown text with the key `message_section` in its frontmatter.

    Everything else stays as it is. The writer adds the heading with the first message. Cells that
    already stand below such a heading are its messages.

    Raises:
        FrontmatterError: The frontmatter cannot be read or has the key with another value, or text
            that is not a message stands below a heading of that name.
    """
    body = text.removeprefix(BOM)
    end = split_frontmatter(body)
    opening = _OPENING.match(body)
    if opening and (not end or opening[1] != "---"):
        raise FrontmatterError(
            f"expected a frontmatter of YAML between two lines `---`, found a line `{opening[1]}` at the "
            f"beginning alone: add `{_KEY}: true` to the frontmatter by hand"
        )
    if _NAMED.search(parse_frontmatter(body[:end])[0] if end else ""):
        raise FrontmatterError(
            f"expected a name or `true` for the key `{_KEY}` of the frontmatter, found something else: "
            "edit it by hand"
        )
    section = split_section(body[end:], SECTION)
    below = section[1] if section else ""
    if below.strip() and not _BEGINS_WITH_CELL.match(below):
        raise FrontmatterError(
            f"the text below its heading `{SECTION}` would become part of the messages. Add "
            f"`{_KEY}: NAME` to the frontmatter, with a NAME that no heading has"
        )
    return with_frontmatter_key(text, _KEY, "true", lambda user: section_name(user) == SECTION)
