"""Where references lead: what the surroundings of a prompt have to provide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from msgbook.errors import MsgbookError
from msgbook.request.context.tags import Lines


class SourceError(MsgbookError):
    """A reference that cannot be followed; the message says why, without the tag."""


@dataclass(frozen=True, slots=True)
class Document:
    """What a path gives."""

    text: str
    kind: Literal["prose", "source", "literal"] = "source"
    """`prose`: its references are followed. `literal`: words of ours, nothing is expanded."""
    note: str = ""
    """What the reader should know of it; empty for nothing."""
    free: bool = True
    """False for what somebody had to allow: it is not kept for later sessions."""


@dataclass(frozen=True, slots=True)
class Matches:
    """What a glob gives."""

    paths: list[str]
    """Relative to the notebook's folder, sorted."""
    note: str = ""
    """What was left out; empty when nothing was."""


class Sources(Protocol):
    """Where references lead. Every method raises `SourceError` for what is missing or refused."""

    async def exists(self, path: str) -> bool:
        """Whether there is such a file or folder. Never asks, never raises."""
        ...

    async def read(self, path: str, lines: Lines | None, *, nested: bool) -> Document:
        """A file or some of its lines, or the names in a folder.

        Args:
            nested: Whether another file names it. Only what the user has written may ask for leave.
        """
        ...

    async def glob(self, pattern: str) -> Matches:
        """The files that match and are free to read."""
        ...

    async def cell(self, cell_id: str) -> Document:
        """A cell and its output."""
        ...

    async def python(self, name: str) -> str:
        """The description of a variable."""
        ...

    async def tool(self, name: str, arguments: str) -> Document:
        """The result of a call, under the rules for calls of a model.

        Args:
            arguments: A JSON object.
        """
        ...
