"""Where the cells above a running one come from, and what is kept of each cell that runs."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Hashable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from msgbook.kernel.code_outputs import CellsOutputs
from msgbook.notebook.saved_notebook import SavedNotebooks, session_file, version_of
from msgbook.notebook.session_memory import RanCell, RequestedCell, SessionMemory
from msgbook.notebook.transcript import LiveNotebook, Transcript, read_transcript
from msgbook_format.turn import Turn

_NO_PAGE = (
    "No open page showed this cell, so only what this session has run was sent. What else stands in "
    "the notebook was not."
)

_NO_FILE = (
    "This client does not tell where the notebook is: only what this session has run is sent, not "
    "the notes, agents and settings in the notebook."
)


class EarlierCells:
    """The conversation above a cell: the page's, the file's, or this session's.

    Args:
        outputs: What code cells put out.
    """

    def __init__(self, page: LiveNotebook, memory: SessionMemory, outputs: CellsOutputs) -> None:
        self._page = page
        self._memory = memory
        self._outputs = outputs
        self._saved = SavedNotebooks()
        self._is_told = False

    async def of(self, requested: RequestedCell) -> Transcript:
        """The cells that count for a running one."""
        has_page = self._page.connected
        found = await read_transcript(requested, self._page, self._memory)
        path = _file(requested)
        if found.source != "live":
            if path is not None:
                saved = await asyncio.to_thread(self._saved.read, path)
                # Imported here: the kernel starts without the history.
                from msgbook.notebook.file_source import with_file

                found = with_file(found, requested, saved, self._memory, is_edited=has_page)
            else:
                found = replace(found, note=_NO_PAGE if has_page else self._alone(requested))
        return replace(found, path=path)

    def code_runs(self, requested: RequestedCell, request: str) -> RanCell:
        """Keep a code cell that runs from now on, with all that it will put out.

        Args:
            request: Id of the message that asks for it.
        """
        return self._memory.remember(requested, shown=self._outputs.begin(request))

    def code_ended(self, one: RanCell) -> None:
        """The cell has ended: what is saved from now on knows of it."""
        one.version = _version(one.requested)

    def ran(
        self, requested: RequestedCell, turn: Turn | None = None, found: Transcript | None = None
    ) -> None:
        """Keep a prompt that has run, or a magic.

        Args:
            found: What the prompt's request was made of.
        """
        current = (found.current if found else None) or {}
        saved_id = current.get("id") if found and found.source == "file" else None
        self._memory.remember(
            requested,
            turn,
            metadata=current.get("metadata"),
            saved_id=saved_id if isinstance(saved_id, str) else None,
            version=_version(requested),
        )

    def forget(self, cell_ids: Iterable[Any]) -> None:
        """Drop cells that were deleted from the notebook."""
        if cell_ids := list(cell_ids):
            self._memory.forget(cell_ids, version=_version(RequestedCell("")))

    def _alone(self, requested: RequestedCell) -> str:
        """What to say where only the session is known; nothing of a console, once of the others."""
        if requested.is_console or self._is_told:
            return ""
        self._is_told = True
        return _NO_FILE


def _file(requested: RequestedCell) -> Path | None:
    """The notebook's file: what the client names, else what the server did."""
    return requested.path or session_file(os.environ)


def _version(requested: RequestedCell) -> Hashable:
    return version_of(_file(requested))
