"""The tools `read_cell`, `edit_cell`, `insert_cell` and `run_cell`, as the model sees them.

They work on the notebook that shows the conversation, which a host of turns connects with them; the first three also
on the file of another notebook.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Protocol

from pydantic import Field

from msgbook.approval import ApprovalRequest
from msgbook.errors import ToolError
from msgbook.tool_calls import parse_arguments
from msgbook.tools.base import CallContext, Content, Tool, ToolFunction, ToolSet
from msgbook.tools.displays import Display
from msgbook.tools.files.cells import CellEdit, CellInsertion, NewKind, NotebookCells
from msgbook_format.links import real_path

READ_CELL, EDIT_CELL, INSERT_CELL, RUN_CELL = "read_cell", "edit_cell", "insert_cell", "run_cell"
CELL_TOOLS = (READ_CELL, EDIT_CELL, INSERT_CELL, RUN_CELL)

_NOT_HERE = "{} can only be called by a model in its turn."

CallFile = Callable[[str, CallContext, dict[str, Any]], Awaitable[Content]]
"""Runs one of the tools on the file of another notebook, given its name, the call and its arguments."""

_Cell = Annotated[
    str, Field(description="Id of the cell, as read_cell lists them, or # and its number: #3.")
]
_SomeCell = Annotated[
    str, Field(description="Id of the cell, or # and its number; left out: list all cells.")
]
_After = Annotated[
    str, Field(description="Id or # and number of the cell above the new one; empty for the top.")
]
_Old = Annotated[
    str, Field(description="The text as it stands in the cell; it must stand there only once.")
]
_Path = Annotated[str, Field(description="File of another notebook; left out: this one.")]


class RunningNotebook(Protocol):
    """The notebook that shows a running turn: what a page shows, or a file holds.

    A change is made only if the notebook is still what the change was made from.
    """

    @property
    def path(self) -> Path | None:
        """Its file, if it is known."""

    async def read(self, cell_id: str | None = None) -> NotebookCells:
        """Return all cells as they are now, that one of them with its outputs; raises `ToolError`."""

    async def edit(self, edit: CellEdit) -> None:
        """Change a cell; raises `ToolError` if nothing is changed."""

    async def insert(self, new: CellInsertion) -> str:
        """Insert a cell and return its id; raises `ToolError` if nothing is changed."""

    async def run(
        self, cell_id: str, source: str, show: Callable[[str], None], display: Display
    ) -> Content:
        """Run the code of a cell and show its outputs there; raises `ToolError` with the traceback."""


@dataclass(frozen=True)
class CellTool(Tool):
    """A tool on the cells of a notebook."""

    folder: Path = Path()
    """The folder of the conversation."""
    call_file: CallFile | None = None
    notebook: RunningNotebook | None = None
    """None outside of a turn, where the tool only has a schema."""

    def connect(self, notebook: RunningNotebook) -> CellTool:
        """Return the tool on the notebook of a turn."""
        made = cell_tools(self.folder, self.call_file, notebook)
        return next(tool for tool in made if tool.name == self.name)

    def is_recorded(self, arguments: str) -> bool:
        """Return whether the call is about another file: a replay changes only its own notebook."""
        try:
            path = parse_arguments(arguments).get("path")
        except ValueError:
            return True
        return isinstance(path, str) and not is_own(self.folder, path, self.notebook)


def connect_cells(tools: ToolSet, notebook: RunningNotebook | None) -> ToolSet:
    """Bind the tools on cells to the notebook of a turn; return all of its tools."""
    if notebook is None:
        return tools
    return ToolSet(tool.connect(notebook) if isinstance(tool, CellTool) else tool for tool in tools)


def is_own(folder: Path, path: str, notebook: RunningNotebook | None) -> bool:
    """Return whether a path, or an empty one, means the notebook that shows the conversation."""
    if not path:
        return True
    own = notebook.path if notebook is not None else None
    try:
        return own is not None and real_path(folder / path) == real_path(own.absolute())
    except (OSError, ValueError):
        return False


def cell_tools(
    folder: Path, call_file: CallFile | None = None, notebook: RunningNotebook | None = None
) -> list[CellTool]:
    """Return the tools on cells.

    Args:
        folder: The folder of the conversation.
        call_file: Works on the file of another notebook.
        notebook: That of the turn; None outside of one.
    """
    calls = _Calls(folder, call_file, notebook)
    made = (
        CellTool(READ_CELL, calls.read_cell, read_only=True),
        CellTool(EDIT_CELL, calls.edit_cell),
        CellTool(INSERT_CELL, calls.insert_cell),
        CellTool(RUN_CELL, calls.run_cell),
    )
    return [replace(tool, folder=folder, call_file=call_file, notebook=notebook) for tool in made]


async def _read(notebook: RunningNotebook, name: str) -> tuple[NotebookCells, str]:
    """Return the cells as they are now, the named one with its outputs, and its id or other name."""
    cells = await notebook.read()
    cell_id = cells.id_of(cells.find(name))
    return (await notebook.read(cell_id), cell_id) if cell_id else (cells, name)


def _bound(asked: ApprovalRequest, notebook: RunningNotebook) -> ApprovalRequest:
    """Return an approval request for which rules hold in the notebook's file; without a file, none does."""
    path = str(real_path(notebook.path.absolute())) if notebook.path is not None else ""
    return asked._replace(path=path, always_asks=not path)


class _Calls:
    """Makes the functions of calls."""

    def __init__(
        self, folder: Path, call_file: CallFile | None, notebook: RunningNotebook | None
    ) -> None:
        self._folder, self._call_file, self._notebook = folder, call_file, notebook

    def read_cell(self, call: CallContext) -> ToolFunction:
        async def read_cell(cell: _SomeCell = "", path: _Path = "") -> Content:
            """Read a cell of this notebook as it is now, with its output, or list all cells with their ids."""
            if not self._is_own(path):
                return await self._in_file(READ_CELL, call, {"path": path, "cell": cell})
            notebook = self._running(READ_CELL)
            if not cell:
                return (await notebook.read()).listing()
            cells, name = await _read(notebook, cell)
            return cells.show(cells.find(name))

        return read_cell

    def edit_cell(self, call: CallContext) -> ToolFunction:
        async def edit_cell(cell: _Cell, old: _Old, new: str, path: _Path = "") -> Content:
            """Replace a text in a code cell or a note of this notebook. The result is a unified diff.

            A changed cell is not run again.
            """
            if not self._is_own(path):
                arguments = {"path": path, "cell": cell, "old": old, "new": new}
                return await self._in_file(EDIT_CELL, call, arguments)
            notebook = self._running(EDIT_CELL)
            cells, name = await _read(notebook, cell)
            edit = cells.edit(name, old, new)
            asked = ApprovalRequest(f"it changes the cell {edit.name}", edit.preview)
            call.require(_bound(asked, notebook))
            await notebook.edit(edit)
            return edit.result

        return edit_cell

    def insert_cell(self, call: CallContext) -> ToolFunction:
        async def insert_cell(
            after: _After, kind: NewKind, source: str, path: _Path = ""
        ) -> Content:
            """Insert a cell with code, or a note in Markdown, into this notebook. It is not run."""
            if not self._is_own(path):
                arguments = {"path": path, "after": after, "kind": kind, "source": source}
                return await self._in_file(INSERT_CELL, call, arguments)
            notebook = self._running(INSERT_CELL)
            new = (await notebook.read()).insert(after, kind, source)
            asked = ApprovalRequest(
                f"it inserts a {new.what} below the cell {new.above}", new.preview
            )
            if not new.above:
                asked = ApprovalRequest(f"it inserts a {new.what} at the top", new.preview)
            call.require(_bound(asked, notebook))
            return f"Inserted a cell {new.label} with the id {await notebook.insert(new)}."

        return insert_cell

    def run_cell(self, call: CallContext) -> ToolFunction:
        async def run_cell(cell: _Cell) -> Content:
            """Run a code cell of this notebook in its kernel. The result is its output, which appears in the cell."""
            notebook = self._running(RUN_CELL)
            cells, name = await _read(notebook, cell)
            position, source = cells.code_to_run(name)
            short = cells.short(position)
            call.require(
                ApprovalRequest(
                    f"it runs, with all rights of the notebook, the cell {short}",
                    source,
                    always_asks=True,
                )
            )
            shown = await notebook.run(cells.id_of(position), source, call.show, call.display)
            return shown or "(no output)"

        return run_cell

    async def _in_file(self, name: str, call: CallContext, arguments: dict[str, Any]) -> Content:
        if self._call_file is None:
            raise ToolError(f"{name} has no file here.")
        return await self._call_file(name, call, arguments)

    def _is_own(self, path: str) -> bool:
        return is_own(self._folder, path, self._notebook)

    def _running(self, name: str) -> RunningNotebook:
        if self._notebook is None:
            raise ToolError(_NOT_HERE.format(name))
        return self._notebook
