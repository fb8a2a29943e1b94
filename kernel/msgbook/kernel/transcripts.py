"""The cells above a running cell, and the memory of the cells that have run."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Hashable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from msgbook.kernel.code_outputs import OutputRecorder
from msgbook.notebook import (
    ExecutedCell,
    LiveNotebook,
    RequestedCell,
    SavedNotebookReader,
    SessionMemory,
    Transcript,
    file_version,
    read_transcript,
    session_notebook_file,
)
from msgbook_format.turn import Turn

_NO_PAGE = (
    "No open page showed this cell, so only the cells that this session has run were sent. "
    "Other cells of the notebook were not."
)

_NO_FILE = (
    "This client does not say where the notebook is: only the cells that this session has run are "
    "sent, without the notebook's notes, agents and settings."
)


class Transcripts:
    """Reads the transcript of a running cell from the page, the file, or this session's memory.

    Args:
        outputs: Records what code cells put out.
    """

    def __init__(self, page: LiveNotebook, memory: SessionMemory, outputs: OutputRecorder) -> None:
        self._page = page
        self._memory = memory
        self._outputs = outputs
        self._saved = SavedNotebookReader()
        self._has_warned = False

    async def read(self, requested: RequestedCell) -> Transcript:
        """Return the transcript of a cell that is about to run."""
        has_page = self._page.is_connected
        transcript = await read_transcript(requested, self._page, self._memory)
        path = _file(requested)
        if transcript.source != "live":
            if path is not None:
                saved = await asyncio.to_thread(self._saved.read, path)
                # Imported here: the kernel starts without the history.
                from msgbook.notebook import merge_saved_cells

                transcript = merge_saved_cells(
                    transcript, requested, saved, self._memory, is_edited=has_page
                )
            else:
                note = _NO_PAGE if has_page else self._no_file_note(requested)
                transcript = replace(transcript, notice=note)
        return replace(transcript, earlier=self._memory.with_runs(transcript.earlier), path=path)

    def start_code(self, requested: RequestedCell, request_id: str) -> ExecutedCell:
        """Remember a code cell that starts to run, and record its outputs from now on.

        Args:
            request_id: Id of the `execute_request`.
        """
        return self._memory.remember(requested, code_outputs=self._outputs.start(request_id))

    def end_code(self, cell: ExecutedCell) -> None:
        """Note that a code cell has ended: a file that is saved later contains its outputs."""
        cell.version = _version(cell.requested)

    def remember(
        self,
        requested: RequestedCell,
        turn: Turn | None = None,
        transcript: Transcript | None = None,
    ) -> None:
        """Remember a prompt with its turn, or a magic, that has run.

        Args:
            transcript: The one that the prompt's request was made from.
        """
        current = (transcript.current if transcript else None) or {}
        saved_id = current.get("id") if transcript and transcript.source == "file" else None
        self._memory.remember(
            requested,
            turn,
            metadata=current.get("metadata"),
            saved_id=saved_id if isinstance(saved_id, str) else None,
            version=_version(requested),
        )

    def forget(self, cell_ids: Iterable[Any]) -> None:
        """Forget cells that were deleted from the notebook."""
        if cell_ids := list(cell_ids):
            self._memory.forget(cell_ids, version=_version(RequestedCell("")))

    def _no_file_note(self, requested: RequestedCell) -> str:
        """Return the note that only the session is known: once, and never in a console."""
        if requested.is_console or self._has_warned:
            return ""
        self._has_warned = True
        return _NO_FILE


def _file(requested: RequestedCell) -> Path | None:
    """Return the notebook's file: the client's name for it, else the server's."""
    return requested.path or session_notebook_file(os.environ)


def _version(requested: RequestedCell) -> Hashable:
    return file_version(_file(requested))
