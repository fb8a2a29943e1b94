"""The notebook of a running turn as a page shows it: its cells, and changes that the page makes (docs/protocol.md, `cells.change`)."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgbook.errors import ToolError
from msgbook.kernel.page.page_comms import OWN_ANSWER_TIMEOUT, PageComms
from msgbook.notebook import Cell, RequestedCell, id_of
from msgbook_format.syntax import CellRule
from msgbook_format.typed import as_text

if TYPE_CHECKING:
    from msgbook.tools import (
        CellEdit,
        CellInsertion,
        Content,
        Display,
        Namespace,
        NotebookCells,
    )

_ABSENT = "absent"
_PROBLEMS = {
    "changed": "the cell has changed meanwhile. Read it again",
    "missing": "the cell is no longer there",
    "locked": "the notebook or the cell cannot be edited",
}
"""Why a page does not make a change, in words for a model."""

_NO_PAGE = "No open page shows this notebook, so its cells can be neither changed nor run."
_SILENT = "The page did not answer in time. Read the cell to see whether it was changed."


class PageChanges:
    """Lets a page change the notebook that it shows, and waits until it has.

    Answers arrive on a comm's thread; `make` belongs to an event loop's thread.
    """

    def __init__(self, pages: PageComms) -> None:
        self._pages = pages
        self._open: dict[str, asyncio.Future[str]] = {}
        pages.on_message("cells.changed", self._take_answer)

    async def make(self, requested: RequestedCell, change: dict[str, Any]) -> None:
        """Make a change in the notebook that has a running cell, on one page: that of the requesting client, if it is open.

        Raises:
            ToolError: It was not made, or the page does not say so in time.
        """
        for comm in self._pages.pages_of(requested.client_session):
            problem = await self._ask(comm, {"cell_id": requested.cell_id, "change": change})
            if problem == "":
                return
            if problem != _ABSENT:
                why = _PROBLEMS.get(problem, "the page did not do it")
                raise ToolError(f"Nothing was changed: {why}.")
        raise ToolError(_NO_PAGE)

    async def _ask(self, comm: Any, message: dict[str, Any]) -> str:
        """Return why a page does not make a change; empty if it has made it."""
        loop, request_id = asyncio.get_running_loop(), secrets.token_hex(16)
        self._open[request_id] = loop.create_future()
        try:
            comm.send({"type": "cells.change", "request_id": request_id, **message})
            async with asyncio.timeout(OWN_ANSWER_TIMEOUT):
                return await self._open[request_id]
        except TimeoutError:
            raise ToolError(_SILENT) from None
        finally:
            del self._open[request_id]

    def _take_answer(self, _comm: Any, data: dict[str, Any]) -> None:
        request_id, problem = data.get("request_id"), data.get("problem")
        waiting = self._open.get(as_text(request_id))
        if waiting is not None and isinstance(problem, str):
            waiting.get_loop().call_soon_threadsafe(_settle, waiting, problem)


def _settle(waiting: asyncio.Future[str], problem: str) -> None:
    if not waiting.done():
        waiting.set_result(problem)


class PageNotebook:
    """The notebook that has a running cell.

    Args:
        rule: Tells the messages among its code cells.
        namespace: Runs code.
        path: Its file, if it is known.
    """

    def __init__(
        self,
        pages: PageComms,
        changes: PageChanges,
        requested: RequestedCell,
        rule: CellRule,
        namespace: Namespace,
        path: Path | None,
    ) -> None:
        self._pages, self._changes, self._requested = pages, changes, requested
        self._rule, self._namespace = rule, namespace
        self.path = path

    async def read(self, cell_id: str | None = None) -> NotebookCells:
        """Return all cells; see `RunningNotebook`. Where no page shows them, they are those of the file."""
        for comm in self._pages.pages_of(self._requested.client_session):
            shown = await self._pages.cells_of_page(comm)
            if shown is None or self._position_in(shown.cells) is None:
                continue
            cells = list(shown.cells)
            through = await self._pages.cells_of_page(comm, cell_id) if cell_id else None
            if through is not None and through.cells:
                whole = through.cells[-1]
                cells = [whole if id_of(cell) == id_of(whole) else cell for cell in cells]
            return self._as_cells(cells)
        return self._as_cells(await asyncio.to_thread(self._read_file))

    async def edit(self, edit: CellEdit) -> None:
        """Change a cell; see `RunningNotebook`."""
        change = {"cell_id": edit.cell_id, "before": edit.before, "after": edit.after}
        await self._changes.make(self._requested, {"kind": "edit", **change})

    async def insert(self, new: CellInsertion) -> str:
        """Insert a cell; see `RunningNotebook`."""
        cell_id = secrets.token_hex(4)
        cell = {"id": cell_id, "cell_type": new.cell_type, "source": new.source}
        change = {"kind": "insert", "after": new.after_id or None, "cell": cell}
        await self._changes.make(self._requested, change)
        return cell_id

    async def run(
        self, cell_id: str, source: str, show: Callable[[str], None], display: Display
    ) -> Content:
        """Run the code of a cell; see `RunningNotebook`."""
        if not self._pages.is_connected:
            raise ToolError(_NO_PAGE)
        ran = await self._namespace.run_cell(source, show, display)
        change = {"cell_id": cell_id, "before": source, "outputs": ran.outputs}
        note = ""
        try:
            await self._changes.make(
                self._requested, {"kind": "outputs", **change, "execution_count": ran.count}
            )
        except ToolError as error:
            note = f"[It ran, but its output is not shown in the cell. {error}]"
        if ran.failed:
            raise ToolError(f"{ran.content}\n{note}" if note else str(ran.content))
        return _noted(ran.content, note) if note else ran.content

    def _position_in(self, cells: Any) -> int | None:
        own = self._requested.cell_id
        return next((n for n, cell in enumerate(cells) if own and id_of(cell) == own), None)

    def _as_cells(self, cells: list[Cell]) -> NotebookCells:
        from msgbook.tools import NotebookCells

        return NotebookCells(cells, self._rule, running=self._position_in(cells))

    def _read_file(self) -> list[Cell]:
        if self.path is None:
            raise ToolError("No open page and no file shows this notebook.")
        # Imported here: the kernel starts without the format.
        from msgbook.notebook import Document, DocumentError

        try:
            return list(Document.read(self.path).cells)
        except DocumentError as error:
            raise ToolError(str(error)) from None


def _noted(content: Content, note: str) -> Content:
    if isinstance(content, str):
        return f"{content}\n{note}".lstrip("\n")
    return [*content, {"type": "text", "text": note}]
