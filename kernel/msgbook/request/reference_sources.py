"""Where the references of a prompt lead: files, cells above, Python values, tools."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path

from msgbook.approval import Roots
from msgbook.errors import MsgbookError
from msgbook.notebook.cell_names import NoSuchCellError, find_cell
from msgbook.notebook.cells import Cell, IsMagic
from msgbook.request.context.files import AllowRead, FileSources
from msgbook.request.context.sources import Document, SourceError
from msgbook.request.context.tags import Lines
from msgbook.request.history import cell_text
from msgbook.request.history.cell import turns_of
from msgbook.request.history.kind import kind_of

Describe = Callable[[str], Awaitable[str]]
"""Describes a Python variable. Raises `MsgbookError` where there is none."""

RunTool = Callable[[str, str], Awaitable[Document]]
"""Runs a tool with a JSON object as arguments, under the rules for calls of a model. Raises
`SourceError` for a call that was denied or failed."""


class ReferenceSources(FileSources):
    """`prompt.sources.Sources` of one turn.

    Args:
        roots: Where reading is free.
        allow: Asks about what is not free.
        cells: Those above the prompt.
        describe: None where there is no Python.
        redact: Takes out what must neither be shown nor sent, before anything is cut: half of a
            secret would not be found.
        conversation: As for `FileSources`.
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
    ) -> None:
        super().__init__(roots, allow, conversation)
        self._cells = cells
        self._is_magic = is_magic
        self._describe = describe
        self._run_tool = run_tool
        self._redact = redact

    async def read(self, path: str, lines: Lines | None, *, nested: bool) -> Document:
        """A file, as `FileSources` reads it."""
        document = await super().read(path, lines, nested=nested)
        return replace(document, text=self._redact(document.text))

    async def cell(self, cell_id: str) -> Document:
        """A cell above, with its output."""
        try:
            cell = self._cells[find_cell(self._cells, cell_id, "above")]
        except NoSuchCellError as error:
            raise SourceError("\n- ".join([str(error), *error.details])) from error
        text = self._redact(cell_text(cell, kind_of(cell, self._is_magic), self._redact))
        return Document(text, "literal", free=_was_free(cell))

    async def python(self, name: str) -> str:
        """The description of a variable."""
        if self._describe is None:
            raise SourceError("there is no Python here; it is in the kernel of an open notebook")
        try:
            return self._redact(await self._describe(name))
        except MsgbookError as error:
            raise SourceError(str(error)) from None

    async def tool(self, name: str, arguments: str) -> Document:
        """The result of a call."""
        result = await self._run_tool(name, arguments)
        return replace(result, text=self._redact(result.text))


def _was_free(cell: Cell) -> bool:
    """Whether no call of a cell's turn was one that somebody, or something, had to allow."""
    blocks = [block for turn in turns_of(cell) for block in turn["blocks"]]
    return not any(block.get("approval") in ("user", "rule") for block in blocks)
