"""Reading of the files that outputs name with `output_file=`.

They lie in `<stem>.files/` beside the message file. Anybody may have written the text, so nothing
else is read for it: no link, no device, and no more than a fixed number of bytes.
"""

from __future__ import annotations

import base64
import os
import stat
from hashlib import sha256
from pathlib import Path
from typing import Any

from msgbook_format import jsontext
from msgbook_format.links import nfc, spelled_on_disk
from msgbook_format.outputs.code_outputs import is_binary
from msgbook_format.outputs.file_references import (
    Reference,
    add_data,
    digest,
    open_references,
    without_lost,
)

MAX_BYTES = 20_000_000
"""Bytes of one file: it is put into the notebook, which is a third larger for base64."""
MAX_ALL_BYTES = 100_000_000
"""Bytes of all files for one notebook, wrong ones included."""

_FLAGS = os.O_RDONLY | sum(
    getattr(os, name, 0) for name in ("O_BINARY", "O_CLOEXEC", "O_NOFOLLOW", "O_NONBLOCK")
)
_SHOWN = 80
"""Characters of a name that a message quotes."""


class OutputFileError(ValueError):
    """A file that an output names cannot be read."""


def load_output_files(notebook: dict[str, Any], path: Path) -> list[str]:
    """Put the data of files into the outputs of a notebook that was read from `path`, in place.

    Returns a message for each file that could not be read. The data of its output stay empty, and
    its text is written as it was.
    """
    problems = []
    files = _Files(path)
    for output, mime, reference in open_references(notebook):
        try:
            add_data(output, mime, files.read_data(mime, reference))
        except OutputFileError as error:
            problems.append(str(error))
    return problems


def keep_lost_data(notebook: dict[str, Any], path: Path | None) -> dict[str, Any]:
    """Return a notebook that can be written to `path`: it keeps data that no file there gives.

    Args:
        path: None if there can be no files.
    """
    files = None if path is None else _Files(path)

    def find_digest(mime: str, reference: Reference) -> str | None:
        try:
            return None if files is None else digest(files.read_data(mime, reference))
        except OutputFileError:
            return None

    return without_lost(notebook, find_digest)


def find_problem(path: Path, name: str, expected: str | None) -> str | None:
    """Return a message if the file that an output in `path` names cannot be read; else None.

    With `path` bound, this is the `output_file` of `msgbook_format.check`.
    """
    reference = (
        {"output_file": name} if expected is None else {"output_file": name, "sha256": expected}
    )
    try:
        _Files(path).read(reference)
    except OutputFileError as error:
        return str(error)
    return None


class _Files:
    """Files that outputs of one message file name; `MAX_ALL_BYTES` can be read."""

    def __init__(self, path: Path) -> None:
        """Take the path of the message file."""
        self._path = path
        self._left = MAX_ALL_BYTES

    def read_data(self, mime: str, reference: Reference) -> Any:
        """Return the data of an output.

        Raises:
            OutputFileError: As in `read`, and for bytes that are no such data.
        """
        return _decode(self.read(reference), mime, reference)

    def read(self, reference: Reference) -> bytes:
        """Return the bytes of a file.

        Raises:
            OutputFileError: The file lies elsewhere, is not a plain file, is too large, comes
                after too many others, differs from its `sha256`, or cannot be read.
        """
        name = reference["output_file"]
        shown = _shown(name)
        parts = name.split("/")
        folder = f"{self._path.name.removesuffix('.md').removesuffix('.msg')}.files"
        foreign = (
            nfc(parts[0]) != nfc(folder)
            or len(parts) < 2
            or any(p in ("", ".", "..") for p in parts)
        )
        if foreign or any(character in name for character in "\0\\:"):
            raise OutputFileError(f"expected a file in `{folder}/`, found `{shown}`")
        try:
            content = _read_plain(self._path.parent, parts, min(self._left, MAX_BYTES))
        except (OSError, ValueError) as error:
            if isinstance(error, OutputFileError):
                raise
            reason = error.strerror if isinstance(error, OSError) else error
            raise OutputFileError(f"cannot read `{shown}`: {reason}") from None
        self._left -= len(content)
        found = sha256(content).hexdigest()
        expected = reference.get("sha256", found).removeprefix("sha256:").lower()
        if found != expected:
            message = f"expected `{shown}` with the sha256 {_shown(expected)}, found {found}"
            raise OutputFileError(message)
        return content


def _read_plain(folder: Path, parts: list[str], limit: int) -> bytes:
    """Return the bytes of a plain file below `folder`; no part of its path may be a link."""
    shown = _shown("/".join(parts))
    target = spelled_on_disk(folder.joinpath(*parts))
    if not stat.S_ISREG(os.lstat(target).st_mode):
        raise OutputFileError(f"expected a plain file, found something else at `{shown}`")
    with os.fdopen(os.open(target, _FLAGS), "rb") as stream:
        opened = os.fstat(stream.fileno())
        # Checked after opening, so that a link that appears in between changes nothing.
        real = Path(os.path.realpath(target))
        straight = real == Path(os.path.realpath(folder), *target.parts[-len(parts) :])
        if not straight or not os.path.samestat(opened, real.stat()):
            raise OutputFileError(f"expected a plain file, found a link at `{shown}`")
        if not stat.S_ISREG(opened.st_mode):
            raise OutputFileError(f"expected a plain file, found something else at `{shown}`")
        # A file that is too large is not read. One that grows now is read up to the limit.
        content = stream.read(limit + 1) if opened.st_size <= limit else None
    if content is None or len(content) > limit:
        left = "" if limit == MAX_BYTES else f" (the rest of {MAX_ALL_BYTES} for all files)"
        raise OutputFileError(f"expected at most {limit} bytes in `{shown}`{left}, found more")
    return content


def _decode(content: bytes, mime: str, reference: Reference) -> Any:
    """Return the data of an output for the bytes of a file."""
    encoding = reference.get("encoding")
    if encoding == "base64" or (encoding is None and is_binary(mime)):
        return base64.b64encode(content).decode("ascii")
    name = _shown(reference["output_file"])
    try:
        text = content.decode("utf-8")
        return jsontext.loads(text) if encoding == "json" else text
    except UnicodeDecodeError:
        raise OutputFileError(f"expected UTF-8 in `{name}`, found other bytes") from None
    except ValueError as error:
        raise OutputFileError(f"expected JSON in `{name}`: {error}") from None


def _shown(text: str) -> str:
    return "".join(c if c.isprintable() else "\ufffd" for c in text[:_SHOWN])
