"""A conversation's file: read as a notebook, given answers, written back in one step.

A `.msg.md`, a `.md` with a message section, or an `.ipynb`. What somebody else has put into the
file since it was read is never overwritten.
"""

from __future__ import annotations

import os
from copy import deepcopy
from hashlib import sha256
from pathlib import Path
from typing import Any

from msgbook.errors import MsgbookError, reason
from msgbook.notebook.cells import NOTEBOOK_SUFFIX
from msgbook_format.document.reader import reads
from msgbook_format.errors import MessageFileError
from msgbook_format.files import ipynb
from msgbook_format.files.message_files import SUFFIX, Snapshot, encode, replace_bytes
from msgbook_format.files.regular_files import read_regular
from msgbook_format.outputs.files import keep_lost_data, load_output_files
from msgbook_format.turn import Turn, bundle


class DocumentError(MsgbookError):
    """A file cannot be read or written as a conversation; the message names it."""


class Document:
    """A notebook and the file that it came from.

    Attributes:
        notebook: plain JSON of nbformat 4; changed in place.
    """

    def __init__(self, path: Path, notebook: dict[str, Any], digest: bytes | None) -> None:
        self.path = path
        self.notebook = notebook
        self._digest = digest
        """SHA-256 of what the file holds; None for a file that is to be made."""

    @classmethod
    def read(cls, path: Path) -> Document:
        """Read a file. A notebook of an older format is converted, in memory.

        Raises:
            DocumentError: It cannot be read, or holds no conversation.
        """
        try:
            if path.suffix == NOTEBOOK_SUFFIX:
                data = read_regular(path)
                return cls(path, ipynb.parse(data, path), sha256(data).digest())
            snapshot = Snapshot.read(path)
            notebook = reads(snapshot.text)
            load_output_files(notebook, path)
        except (MessageFileError, OSError, ValueError) as error:
            # A path with NUL is a ValueError.
            raise DocumentError(reason(path, error)) from error
        return cls(path, notebook, snapshot.digest)

    @classmethod
    def new(cls, path: Path) -> Document:
        """An empty conversation, to be written to a file that does not exist yet.

        Raises:
            DocumentError: No conversation has such a name.
        """
        require_name(path)
        return cls(path, reads(""), None)

    @property
    def cells(self) -> list[dict[str, Any]]:
        """The notebook's own, in document order."""
        cells: list[dict[str, Any]] = self.notebook["cells"]
        return cells

    def put_turn(self, number: int, turn: Turn, error: dict[str, Any] | None = None) -> None:
        """Give a prompt its answer, in place of what stood below it.

        What a kernel cannot write, since it is metadata, is written here.

        Args:
            number: The cell's, from 0.
            error: `ename`, `evalue` and `traceback` of a turn that failed.
        """
        outputs = [{"output_type": "display_data", "data": bundle(turn), "metadata": {}}]
        if error is not None:
            outputs.append({"output_type": "error", **error})
        cell = self.cells[number]
        cell["outputs"] = outputs
        # No kernel has counted this run.
        cell["execution_count"] = None
        self._mirror(turn.get("context"))

    def save(self) -> None:
        """Write the notebook into its file, in one step; a new file takes no other one's place.

        Raises:
            FileChangedError: The file is not as it was read or written last; it is left as it is.
            OSError: It cannot be written; it is as it was.
        """
        data = _encoded(self.notebook, self.path)
        if self._digest is None:
            _create(self.path, data)
        else:
            replace_bytes(self.path, data, expected=self._digest)
        self._digest = sha256(data).digest()

    def require_writable(self) -> None:
        """Raise `DocumentError` if the file surely cannot be written, before an answer is paid for."""
        target = self.path.resolve()
        if not (os.access(target, os.W_OK) and os.access(target.parent, os.W_OK)):
            raise DocumentError(f"{self.path}: expected a file that can be written")

    def _mirror(self, context: Any) -> None:
        """Write the macros and summaries of a turn's context into the metadata that holds them."""
        if not isinstance(context, dict):
            return
        if isinstance(context.get("macros"), dict):
            _ours(self.notebook)["macros"] = deepcopy(context["macros"])
            if not context["macros"]:
                _drop_ours(self.notebook, "macros")
        found = context.get("summaries")
        summaries = found if isinstance(found, dict) else {}
        for cell in self.cells:
            summary = summaries.get(str(cell.get("id")))
            if isinstance(summary, dict):
                _ours(cell)["summary"] = deepcopy(summary)


def create_beside(path: Path, notebook: dict[str, Any], word: str) -> Path:
    """Put a notebook into the first file `STEM + WORD`, `-2`, `-3`, ... that is free; its name.

    Raises:
        DocumentError: It cannot be written.
    """
    suffix = SUFFIX if path.name.endswith(SUFFIX) else path.suffix
    stem = path.name.removesuffix(suffix)
    count = 1
    while True:
        number = "" if count == 1 else f"-{count}"
        beside = path.with_name(f"{stem}{word}{number}{suffix}")
        try:
            create(beside, notebook)
        except FileExistsError:
            count += 1
        else:
            return beside


def create(path: Path, notebook: dict[str, Any]) -> None:
    """Put a notebook into a file that does not exist yet.

    Raises:
        FileExistsError: There is one of that name; it is left alone.
        DocumentError: The file cannot be written; there is none then.
    """
    try:
        Document(path, notebook, None).save()
    except FileExistsError:
        raise
    except (OSError, ValueError) as error:
        raise DocumentError(reason(path, error)) from error


def require_name(path: Path) -> None:
    """Raise `DocumentError` unless a conversation can have such a name."""
    if not path.name.endswith((SUFFIX, NOTEBOOK_SUFFIX)):
        raise DocumentError(f"{path}: expected a name that ends with {SUFFIX} or {NOTEBOOK_SUFFIX}")


def new_prompt(source: str, cell_id: str, ours: dict[str, Any]) -> dict[str, Any]:
    """A code cell as nbformat has it, with `ours` as its `metadata.msgbook`."""
    return {
        "cell_type": "code",
        "id": cell_id,
        "source": source,
        "metadata": {"msgbook": ours} if ours else {},
        "execution_count": None,
        "outputs": [],
    }


def _ours(node: dict[str, Any]) -> dict[str, Any]:
    """`metadata.msgbook` of a notebook or cell, made if there is none."""
    metadata = node["metadata"]
    if not isinstance(metadata.get("msgbook"), dict):
        metadata["msgbook"] = {}
    ours: dict[str, Any] = metadata["msgbook"]
    return ours


def _drop_ours(node: dict[str, Any], key: str) -> None:
    """Take a key out of `metadata.msgbook`, which goes when nothing else is in it."""
    ours = _ours(node)
    ours.pop(key, None)
    if not ours:
        del node["metadata"]["msgbook"]


def _create(path: Path, data: bytes) -> None:
    with path.open("xb") as file:
        try:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        except OSError:
            path.unlink()
            raise


def _encoded(notebook: dict[str, Any], path: Path) -> bytes:
    if path.suffix != NOTEBOOK_SUFFIX:
        return encode(keep_lost_data(notebook, path))
    return ipynb.writes(notebook).encode()
