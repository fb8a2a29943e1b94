"""Texts that references of a prompt name: files, cells above, Python variables, tool results."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from msgbook.approval import Roots
from msgbook.errors import MsgbookError
from msgbook.notebook import Cell, IsMagic, NoSuchCellError, find_cell
from msgbook.request.context.files import AllowRead, FileSources
from msgbook.request.context.sources import ReferencedText, SourceError
from msgbook.request.context.tags import Lines
from msgbook.request.history import cell_text, kind_of, known_summaries, turns_of

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
        is_magic: IsMagic,
        describe: Describe | None,
        run_tool: RunTool,
        redact: Callable[[str], str] = str,
        conversation: Path | None = None,
        *,
        as_documents: bool = False,
    ) -> None:
        super().__init__(roots, allow, conversation, as_documents=as_documents)
        self._cells = cells
        self._is_magic = is_magic
        self._describe = describe
        self._run_tool = run_tool
        self._redact = redact
        self._summaries = _KnownSummaries(cells)

    async def read(self, path: str, lines: Lines | None, *, nested: bool) -> ReferencedText:
        """Return a file or some of its lines, redacted."""
        referenced = await super().read(path, lines, nested=nested)
        return replace(referenced, text=self._redact(referenced.text))

    async def cell(self, cell_id: str) -> ReferencedText:
        """Return a cell above, with its output."""
        return self.read_cell(self.find_cell(cell_id))

    def read_cell(self, cell: Cell) -> ReferencedText:
        """Return the text of one of the cells, with its output."""
        kind = kind_of(cell, self._is_magic)
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
