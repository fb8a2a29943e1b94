"""The file of a conversation: read as a notebook, given turns, and written back in one step.

It is a `.msg.md`, a `.md` with a message section, an `.ipynb`, or a file with an AgentContext (`.mtm`).
Changes that someone else made to the file after it was read are never overwritten.
"""

from __future__ import annotations

import os
from copy import deepcopy
from hashlib import sha256
from pathlib import Path
from typing import Any

from msgbook.errors import MsgbookError, describe_file_error
from msgbook.notebook.cells import NOTEBOOK_SUFFIX, find_cell
from msgbook_format.agents import AGENT_METADATA_KEY, agent_metadata_of, finished_agent
from msgbook_format.document import reads
from msgbook_format.errors import MessageFileError
from msgbook_format.files import (
    AGENT_SUFFIXES,
    SUFFIX,
    Snapshot,
    create_bytes,
    decode,
    encode,
    encode_agent_file,
    is_agent_file,
    parse_agent_file,
    parse_ipynb,
    read_regular,
    replace_bytes,
    require_no_link,
    with_message_section,
    writes_ipynb,
)
from msgbook_format.outputs import keep_lost_data, load_output_files
from msgbook_format.syntax import CellRule, FrontmatterError, rule_of
from msgbook_format.turn import TURN_MIME, Turn
from msgbook_format.typed import as_dict


class DocumentError(MsgbookError):
    """A file that cannot be read or written as a conversation; the message names it."""


class Document:
    """A notebook and its file.

    Attributes:
        notebook: Plain JSON of nbformat 4; changed in place.
    """

    def __init__(
        self,
        path: Path,
        notebook: dict[str, Any],
        digest: bytes | None,
        content: bytes | None = None,
    ) -> None:
        self.path = path
        self.notebook = notebook
        self._digest = digest
        """SHA-256 of the file's content; None for a file that does not exist yet."""
        self._content = content
        """The content of a file with an AgentContext, whose unchanged parts are written as they are."""

    @classmethod
    def read(cls, path: Path) -> Document:
        """Read a file. A notebook of an older format is converted in memory.

        Raises:
            DocumentError: The file cannot be read, or is not a conversation.
        """
        try:
            if path.suffix == NOTEBOOK_SUFFIX:
                data = read_regular(path)
                return cls(path, parse_ipynb(data, path), sha256(data).digest())
            if is_agent_file(path):
                data = read_regular(path)
                return cls(path, parse_agent_file(data, path), sha256(data).digest(), data)
            snapshot = Snapshot.read(path)
            notebook = reads(snapshot.text)
            load_output_files(notebook, path)
        except (MessageFileError, OSError, ValueError) as error:
            # A path with NUL is a ValueError.
            raise DocumentError(describe_file_error(path, error)) from error
        return cls(path, notebook, snapshot.digest)

    @classmethod
    def adopt(cls, path: Path) -> Document:
        """Read an ordinary Markdown file as a conversation, which `save` makes it.

        Raises:
            DocumentError: The file cannot be read, or cannot become a conversation.
        """
        try:
            data = read_regular(path)
            notebook = reads(with_message_section(decode(data, path)))
            load_output_files(notebook, path)
        except (MessageFileError, FrontmatterError, OSError, ValueError) as error:
            raise DocumentError(describe_file_error(path, error)) from error
        return cls(path, notebook, sha256(data).digest())

    @classmethod
    def new(cls, path: Path) -> Document:
        """Return an empty conversation for a file that does not exist yet.

        Raises:
            DocumentError: The name does not end as a conversation's must.
        """
        require_name(path)
        return cls(path, reads(""), None)

    @property
    def cell_rule(self) -> CellRule:
        """Tells the messages among the code cells."""
        return rule_of(self.notebook["metadata"])

    @property
    def cells(self) -> list[dict[str, Any]]:
        """The notebook's cells, in document order."""
        cells: list[dict[str, Any]] = self.notebook["cells"]
        return cells

    def put_turn(self, number: int, turn: Turn, error: dict[str, Any] | None = None) -> None:
        """Replace the outputs of a prompt with a turn.

        Macros and summaries of the turn are written into the metadata, as a page would do.

        Args:
            number: Position of the cell, from 0.
            error: `ename`, `evalue` and `traceback` of a failed turn.
        """
        is_text = self.path.suffix != NOTEBOOK_SUFFIX and not is_agent_file(self.path)
        put_turn(self.notebook, number, turn, error, is_text=is_text)

    def put_agent(self, agent_metadata: dict[str, Any]) -> None:
        """Set the conversation's AgentMetadata, as a page would do."""
        put_agent(self.notebook, agent_metadata)

    def save(self) -> None:
        """Write the notebook into its file in one step. A new file replaces no other file, and a link is refused.

        Raises:
            FileChangedError: The file has changed since it was last read or written. It is not
                written.
            MessageFileError: The notebook cannot be written in the form of the file.
            OSError: The file cannot be written. It is unchanged.
        """
        data = self._encoded()
        is_new = self._digest is None
        if self._digest is None:
            create_bytes(self.path, data)
        else:
            replace_bytes(self.path, data, expected=self._digest)
        self._digest = sha256(data).digest()
        if is_agent_file(self.path):
            self._content = data
        if is_agent_file(self.path) and is_new:
            # A new file has AgentMetadata, which the notebook may not have had.
            written = parse_agent_file(data, self.path)
            self.put_agent(agent_metadata_of(written["metadata"]))

    @property
    def is_changed(self) -> bool:
        """True if `save` would write other content than was read or written last."""
        return sha256(self._encoded()).digest() != self._digest

    @property
    def text(self) -> str:
        """The text that `save` would write."""
        return self._encoded().decode("utf-8")

    def require_writable(self) -> None:
        """Raise `DocumentError` if the file is a link or cannot be written, before a model call is paid for."""
        try:
            require_no_link(self.path)
        except OSError as error:
            raise DocumentError(describe_file_error(self.path, error)) from error
        if not (os.access(self.path, os.W_OK) and os.access(self.path.absolute().parent, os.W_OK)):
            raise DocumentError(f"{self.path}: expected a file that can be written")

    def _encoded(self) -> bytes:
        if is_agent_file(self.path):
            return encode_agent_file(
                self.notebook, self.path, present=self._content, folder=self.path.absolute().parent
            )
        if self.path.suffix == NOTEBOOK_SUFFIX:
            return writes_ipynb(self.notebook).encode()
        return encode(keep_lost_data(self.notebook, self.path))


def create_beside(path: Path, notebook: dict[str, Any], word: str) -> Path:
    """Write a notebook into a new file beside `path` and return the new path.

    Its name is the stem of `path` with `word`; `-2`, `-3`, ... follow if that file exists.

    Raises:
        DocumentError: The file cannot be written.
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
    """Write a notebook into a new file.

    Raises:
        FileExistsError: The file exists. It is not changed.
        DocumentError: The file cannot be written. None is left behind.
    """
    try:
        Document(path, notebook, None).save()
    except FileExistsError:
        raise
    except (OSError, ValueError) as error:
        raise DocumentError(describe_file_error(path, error)) from error


def require_name(path: Path) -> None:
    """Raise `DocumentError` unless the name ends as a conversation's must."""
    suffixes = (SUFFIX, NOTEBOOK_SUFFIX, *AGENT_SUFFIXES)
    if not path.name.endswith(suffixes):
        raise DocumentError(
            f"{path}: expected a name that ends with {', '.join(suffixes[:-1])} or {suffixes[-1]}"
        )


# A new conversation that begins with the first cells of another one.


def fork_conversation(path: Path, cell_id: str, output: Path | None = None) -> Path:
    """Copy the cells up to one of them into a new file, and return its path. They keep their ids.

    Args:
        cell_id: Any name of the cell that `find_cell` takes.
        output: The new file; by default the first free `STEM-fork`, `STEM-fork-2`, ....

    Raises:
        FileExistsError: There is a file `output`.
        MsgbookError: There is no such file or cell, or the new file cannot be written.
    """
    document = Document.read(path)
    number = find_cell(document.cells, cell_id, f"in {path}")
    # Only in memory: this file is not written.
    del document.cells[number + 1 :]
    if output is None:
        return create_beside(path, document.notebook, "-fork")
    if output.suffix != path.suffix:
        require_name(output)
    create(output, document.notebook)
    return output


# Prompts in a notebook that no page shows: new ones, and the turns of answered ones. Pure.


def new_prompt(source: str, cell_id: str, msgbook_metadata: dict[str, Any]) -> dict[str, Any]:
    """Return a code cell as in nbformat."""
    return {
        "cell_type": "code",
        "id": cell_id,
        "source": source,
        "metadata": {"msgbook": msgbook_metadata} if msgbook_metadata else {},
        "execution_count": None,
        "outputs": [],
    }


def put_turn(
    notebook: dict[str, Any],
    number: int,
    turn: Turn,
    error: dict[str, Any] | None = None,
    *,
    is_text: bool,
) -> None:
    """Replace the outputs of a prompt with a turn.

    Macros and summaries of the turn are written into the metadata, as a page would do.

    Args:
        number: Position of the cell, from 0.
        error: `ename`, `evalue` and `traceback` of a failed turn.
        is_text: Whether the notebook is written as text, which does not hold what follows from a turn.
    """
    outputs = [
        {"output_type": "display_data", "data": _data(turn, is_text=is_text), "metadata": {}}
    ]
    if error is not None:
        outputs.append({"output_type": "error", **error})
    cell = notebook["cells"][number]
    cell["outputs"] = outputs
    # No kernel counted this run.
    cell["execution_count"] = None
    _copy_to_metadata(notebook, turn.get("context"))
    finished = finished_agent(turn, notebook["metadata"])
    if finished is not None:
        put_agent(notebook, finished)


def _data(turn: Turn, *, is_text: bool) -> dict[str, Any]:
    if is_text:
        return {TURN_MIME: turn}
    from msgbook_format.turn import bundle

    return bundle(turn)


def put_agent(notebook: dict[str, Any], agent_metadata: dict[str, Any]) -> None:
    """Set the AgentMetadata of a notebook."""
    _msgbook_metadata(notebook)[AGENT_METADATA_KEY] = deepcopy(agent_metadata)


def _copy_to_metadata(notebook: dict[str, Any], context: Any) -> None:
    """Copy the macros and summaries of a turn's context into the metadata."""
    recorded = as_dict(context)
    if isinstance(recorded.get("macros"), dict):
        _msgbook_metadata(notebook)["macros"] = deepcopy(recorded["macros"])
        if not recorded["macros"]:
            _drop_metadata(notebook, "macros")
    summaries = as_dict(recorded.get("summaries"))
    for cell in notebook["cells"]:
        summary = summaries.get(str(cell.get("id")))
        if isinstance(summary, dict):
            _msgbook_metadata(cell)["summary"] = deepcopy(summary)


def _msgbook_metadata(node: dict[str, Any]) -> dict[str, Any]:
    """Return `metadata.msgbook` of a notebook or cell, which is added if necessary."""
    metadata = node["metadata"]
    if not isinstance(metadata.get("msgbook"), dict):
        metadata["msgbook"] = {}
    found: dict[str, Any] = metadata["msgbook"]
    return found


def _drop_metadata(node: dict[str, Any], key: str) -> None:
    """Remove a key from `metadata.msgbook`, and `metadata.msgbook` itself if it is then empty."""
    found = _msgbook_metadata(node)
    found.pop(key, None)
    if not found:
        del node["metadata"]["msgbook"]
