"""The interface between references and the files, cells, variables and tools that they name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from msgbook.errors import MsgbookError
from msgbook.request.context.tags import Lines


class SourceError(MsgbookError):
    """A reference that cannot be resolved; the message says why, without the tag."""


@dataclass(frozen=True, slots=True)
class ReferencedText:
    """The text that a reference stands for."""

    text: str
    kind: Literal["prose", "source", "literal"] = "source"
    """`prose`: its own references are resolved, too. `literal`: macros are not expanded in it."""
    note: str = ""
    """A message for the reader; empty for none."""
    document: str = ""
    """The data URL of a document that is sent beside the text; empty for none."""
    needed_approval: bool = False
    """Whether reading it needed approval. Such a text is not kept for later sessions."""


@dataclass(frozen=True, slots=True)
class Matches:
    """The files that match a glob."""

    paths: list[str]
    """Relative to the notebook's folder, sorted."""
    note: str = ""
    """Which files were left out; empty if none were."""


class Sources(Protocol):
    """Reads what references name. Every method raises `SourceError` for what is missing or refused."""

    @property
    def approvals(self) -> int:
        """Number of reads that needed approval and got it."""
        ...

    async def exists(self, path: str) -> bool:
        """Return whether a file or folder exists. Never asks for approval, never raises."""
        ...

    async def read(self, path: str, lines: Lines | None, *, nested: bool) -> ReferencedText:
        """Return a file or some of its lines, or the names in a folder.

        Args:
            nested: Whether another file names it. Only a reference in the prompt may ask for approval.
        """
        ...

    async def bytes(self, path: str, limit: int) -> bytes:
        """Return the content of a file of at most `limit` bytes."""
        ...

    async def glob(self, pattern: str) -> Matches:
        """Return the files that match and need no approval."""
        ...

    async def cell(self, cell_id: str) -> ReferencedText:
        """Return a cell and its output."""
        ...

    async def python(self, name: str) -> str:
        """Return the description of a variable."""
        ...

    async def tool(self, name: str, arguments: str) -> ReferencedText:
        """Run a tool under the rules for a model's calls, and return its result.

        Args:
            arguments: A JSON object.
        """
        ...
