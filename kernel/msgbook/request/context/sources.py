"""The interface between references and the files, cells, variables and tools that they name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

from msgbook.errors import MsgbookError
from msgbook.request.records import files_by_key, is_sent_in_full, valid_entries

if TYPE_CHECKING:
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

    async def read(
        self, path: str, lines: Lines | None, *, nested: bool, cell: str = ""
    ) -> ReferencedText:
        """Return a file or some of its lines, or the names in a folder.

        Args:
            cell: The cell that is meant of a notebook, as its id or `#` and its number; the lines are those of its source.
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


# Texts that the elements of other prompts hold, and the numbers of their versions. Pure.


@dataclass(slots=True)
class EarlierTexts:
    """Texts that earlier elements of the request hold. Grows with each element."""

    rules: list[tuple[str, str]] = field(default_factory=list)
    """Name and digest of the rules that were sent last."""
    shown: dict[str, tuple[str, int]] = field(default_factory=dict)
    """Digest and version of the last text of each file that is sent in full above."""
    _newest: dict[str, tuple[str, int]] = field(default_factory=dict)
    """Digest and version of the last entry of each file."""
    _highest: dict[str, int] = field(default_factory=dict)
    """The highest version of each file, later elements included."""
    _later: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    """Versions in later elements by key and digest, the first element last."""

    @classmethod
    def from_contexts(cls, contexts: Iterable[Mapping[str, Any]]) -> EarlierTexts:
        """Return the texts of some contexts, which are in order and as saved."""
        texts = cls()
        for context in contexts:
            texts.add(context)
        return texts

    @classmethod
    def above(cls, contexts: Sequence[Mapping[str, Any]]) -> EarlierTexts:
        """Return no texts yet. No version will get a number that these later contexts use for another text."""
        texts = cls()
        for context in reversed(contexts):
            for key, file in files_by_key(context).items():
                texts._later.setdefault((key, file["sha256"]), []).append(file["version"])
                texts._count(key, file["version"])
        return texts

    def add(self, context: Mapping[str, Any]) -> None:
        """Add the texts of the next element."""
        if isinstance(context.get("rules"), list):
            self.rules = [
                (rule["name"], rule["sha256"]) for rule in valid_entries(context, "rules")
            ]
        for key, file in files_by_key(context).items():
            digest, version = file["sha256"], file["version"]
            self._count(key, version)
            self._newest[key] = digest, version
            if is_sent_in_full(file):
                self.shown[key] = digest, version

    def add_later(self, context: Mapping[str, Any]) -> None:
        """Add the texts of the next element, which is the first of the later ones."""
        for key, file in files_by_key(context).items():
            self._later[key, file["sha256"]].pop()
        self.add(context)

    def number_of(self, key: str, digest: str) -> int:
        """Return the number of a text that is sent in full."""
        newest, version = self._newest.get(key, ("", 0))
        if newest == digest:
            return version
        later = self._later.get((key, digest))
        return later[-1] if later else self._highest.get(key, 0) + 1

    def _count(self, key: str, version: int) -> None:
        self._highest[key] = max(self._highest.get(key, 0), version)
