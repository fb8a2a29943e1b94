"""Texts that references of a prompt name: files, cells above, Python variables, tool results; less for prompts above."""

from __future__ import annotations

import asyncio
import stat
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from msgbook.approval import Roots
from msgbook.errors import MsgbookError, ToolError
from msgbook.notebook import Cell, NoSuchCellError, find_cell
from msgbook.request.context.files import AllowRead, FileSources, deny_all
from msgbook.request.context.image_encoding import PixelBudget
from msgbook.request.context.sources import Matches, ReferencedText, SourceError
from msgbook.request.context.tags import Lines
from msgbook.request.history import cell_text, history_of, kind_of, known_summaries, turns_of
from msgbook_format.syntax import CellRule, is_excluded

Describe = Callable[[str], Awaitable[str]]
"""Describes a Python variable. Raises `MsgbookError` if there is no such variable."""

RunTool = Callable[[str, str], Awaitable[ReferencedText]]
"""Runs a tool, given its name and a JSON object, under the rules for a model's calls. Raises
`SourceError` if the call is denied or fails."""


class ReferenceSources(FileSources):
    """The sources of one turn.

    Args:
        roots: As for `FileSources`.
        allow: As for `FileSources`.
        cells: The cells above the prompt.
        describe: None if the host has no Python.
        redact: Removes secrets from a text before anything is cut from it: half a secret would not
            be found.
        conversation: As for `FileSources`.
        as_documents: As for `FileSources`.
    """

    def __init__(
        self,
        roots: Roots,
        allow: AllowRead,
        cells: Sequence[Cell],
        cell_rule: CellRule,
        describe: Describe | None,
        run_tool: RunTool,
        redact: Callable[[str], str] = str,
        conversation: Path | None = None,
        *,
        as_documents: bool = False,
    ) -> None:
        super().__init__(roots, allow, conversation, as_documents=as_documents)
        self._cells = cells
        self._cell_rule = cell_rule
        self._describe = describe
        self._run_tool = run_tool
        self._redact = redact
        self._summaries = _KnownSummaries(cells)

    async def read(
        self, path: str, lines: Lines | None, *, nested: bool, cell: str = ""
    ) -> ReferencedText:
        """Return a file or some of its lines, redacted."""
        referenced = await super().read(path, lines, nested=nested, cell=cell)
        return replace(referenced, text=self._redact(referenced.text))

    async def cell(self, cell_id: str) -> ReferencedText:
        """Return a cell above, with its output."""
        return self.read_cell(self.find_cell(cell_id))

    def read_cell(self, cell: Cell) -> ReferencedText:
        """Return the text of one of the cells, with its output."""
        kind = kind_of(cell, self._cell_rule)
        text = self._redact(cell_text(cell, kind, self._redact, self._summaries))
        return ReferencedText(text, "literal", needed_approval=_needed_approval(cell))

    def find_cell(self, cell_id: str) -> Cell:
        """Return the cell above that has the name. Raises `SourceError` if there is none."""
        try:
            return self._cells[find_cell(self._cells, cell_id, "above")]
        except NoSuchCellError as error:
            raise SourceError("\n- ".join([str(error), *error.details])) from error

    async def python(self, name: str) -> str:
        """Return the description of a variable."""
        if self._describe is None:
            raise SourceError("there is no Python here; only the kernel of an open notebook has it")
        try:
            return self._redact(await self._describe(name))
        except MsgbookError as error:
            raise SourceError(str(error)) from None

    async def tool(self, name: str, arguments: str) -> ReferencedText:
        """Run a tool, and return its result."""
        result = await self._run_tool(name, arguments)
        return replace(result, text=self._redact(result.text))


class _KnownSummaries(Mapping[str, str]):
    """The `known_summaries` of some cells, which are searched when a summary is needed."""

    def __init__(self, cells: Sequence[Cell]) -> None:
        self._cells = cells

    @cached_property
    def _known(self) -> Mapping[str, str]:
        return known_summaries(self._cells)

    def __getitem__(self, source: str) -> str:
        return self._known[source]

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)


def _needed_approval(cell: Cell) -> bool:
    """Return whether a person, a rule or the policy approved a call of the cell's turn."""
    blocks = [block for turn in turns_of(cell) for block in turn["blocks"]]
    return any(block.get("approval") in ("user", "rule", "policy") for block in blocks)


# Sources for prompts above: what may be read without asking, and nothing that runs.


_READS = 2000
"""Reads of files for one request. A prompt of a few lines can name any number of files."""
_CHARACTERS = 100_000_000
"""Limit for all files together; images count in bytes."""
_SECONDS = 30.0
"""Limit for all reads together: a hostile document takes as long as it is allowed."""
_GLOBS = 20
"""Each one walks the folder."""
_NAME_IT = "To send it now, name it in your next message"


class ReadLimitError(SourceError):
    """The prompts above name too much to be read for one request."""


class Stamp(NamedTuple):
    """State of a file that changes when the file does."""

    modified: int
    """In nanoseconds."""
    size: int
    inode: int


GONE = Stamp(0, -1, 0)
"""The stamp of a file that does not exist."""


@dataclass(slots=True)
class ReadsAbove:
    """Makes the sources for the prompts above, which share the limits of one request.

    Args:
        redact: As for `ReferenceSources`.
        conversation: As for `ReferenceSources`.
    """

    roots: Roots
    cell_rule: CellRule
    redact: Callable[[str], str]
    conversation: Path | None = None
    pixels: PixelBudget = field(default_factory=PixelBudget, init=False)
    _reads: int = field(default=0, init=False)
    _characters: int = field(default=0, init=False)
    _globs: int = field(default=0, init=False)
    _seconds: float = field(default=0, init=False)

    def for_prompt(self, cells: Sequence[Cell]) -> SourcesAbove:
        """Return the sources of a prompt.

        Args:
            cells: The cells above it.
        """
        return SourcesAbove(self, cells)

    def count_read(self) -> None:
        """Count a read before it is made. Raises `ReadLimitError` if there were too many."""
        self._reads += 1
        if self._reads > _READS or self._characters > _CHARACTERS:
            raise ReadLimitError("messages above refer to too many files")
        if self._seconds > _SECONDS:
            raise ReadLimitError("reading the files of the messages above takes too long")

    def count_characters(self, number: int) -> None:
        """Count what a read has returned."""
        self._characters += number

    def count_seconds(self, number: float) -> None:
        """Count the time that a read has taken."""
        self._seconds += number

    def count_glob(self) -> None:
        """Count a pattern. Raises `ReadLimitError` if there were too many."""
        self._globs += 1
        if self._globs > _GLOBS:
            raise ReadLimitError("messages above refer to too many patterns")


class SourcesAbove(ReferenceSources):
    """Sources that ask nobody. Rules and policies that allow more do not count."""

    def __init__(self, reads: ReadsAbove, cells: Sequence[Cell]) -> None:
        super().__init__(
            reads.roots,
            deny_all,
            cells,
            reads.cell_rule,
            _refuse_variable,
            _refuse_tool,
            reads.redact,
            reads.conversation,
        )
        self._reads = reads
        self.pixels = reads.pixels

    async def read(
        self, path: str, lines: Lines | None, *, nested: bool, cell: str = ""
    ) -> ReferencedText:
        """Return a file or some of its lines."""
        self._reads.count_read()
        began = time.monotonic()
        try:
            referenced = await super().read(path, lines, nested=nested, cell=cell)
        finally:
            self._reads.count_seconds(time.monotonic() - began)
        self._reads.count_characters(len(referenced.text))
        return referenced

    async def bytes(self, path: str, limit: int) -> bytes:
        """Return the content of a file."""
        self._reads.count_read()
        data = await super().bytes(path, limit)
        self._reads.count_characters(len(data))
        return data

    async def glob(self, pattern: str) -> Matches:
        """Return the files that match."""
        self._reads.count_glob()
        return await super().glob(pattern)

    async def cell(self, cell_id: str) -> ReferencedText:
        """Return a cell above, unless it is hidden or a call in it was approved."""
        cell = self.find_cell(cell_id)
        if cell.get("cell_type") == "raw" or is_excluded(history_of(cell)):
            raise SourceError(f"that cell is hidden. {_NAME_IT}")
        referenced = self.read_cell(cell)
        if referenced.needed_approval:
            raise SourceError(f"a call in that cell needed approval. {_NAME_IT}")
        return referenced

    async def stamp(self, path: str) -> Stamp | None:
        """Return the stamp of a file; None for a folder, or if reading it needs approval."""
        return await asyncio.to_thread(self._stamp, path)

    def _stamp(self, path: str) -> Stamp | None:
        try:
            real = self._roots.resolve(path)
            if self._roots.check_read(real) is not None:
                return None
            found = real.lstat()
        except (FileNotFoundError, NotADirectoryError):
            return GONE
        except (ToolError, OSError):
            return None
        is_file = stat.S_ISREG(found.st_mode)
        return Stamp(found.st_mtime_ns, found.st_size, found.st_ino) if is_file else None


async def _refuse_variable(name: str) -> str:
    raise MsgbookError(f"its value at that time is not known. {_NAME_IT}")


async def _refuse_tool(name: str, arguments: str) -> ReferencedText:
    raise SourceError(f"tools do not run for earlier messages. {_NAME_IT}")
