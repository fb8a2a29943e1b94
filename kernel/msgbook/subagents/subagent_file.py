"""The file of a sub-agent: a conversation of its own, written while its turn runs."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgbook.background import BackgroundWrites
from msgbook.display.failure import Failure, error_content
from msgbook.display.turn_view import copy_turn
from msgbook.errors import ToolError, describe_file_error
from msgbook.notebook import (
    Cell,
    Document,
    DocumentError,
    Transcript,
    id_of,
    new_prompt,
)
from msgbook.text import repair_surrogates
from msgbook.turn import TurnRecord
from msgbook_format.agent_states import SUB_AGENTS
from msgbook_format.agents import AGENT_METADATA_KEY
from msgbook_format.errors import FileChangedError, MessageFileError
from msgbook_format.files import SUFFIX, own_folder
from msgbook_format.turn import Turn

_ATTEMPTS = 5
"""Attempts to write a file that a person changes at the same time."""
_STEM = 120
"""Most bytes of a parent's name in those of its sub-agents. A name has at most 255, and 143 where it is encrypted."""


def new_path(project: Path, parent: Path | None, token: str) -> Path:
    """Return the path of a new conversation.

    Args:
        parent: File of the conversation that starts it, if it is known.
        token: 8 hex digits.
    """
    name = parent.name.removesuffix(SUFFIX) if parent is not None else "chat"
    stem = Path(name).stem if parent is not None and name == parent.name else name
    short = repair_surrogates(stem).encode()[:_STEM].decode(errors="ignore")
    return project / SUB_AGENTS / f"{short}-{token}{SUFFIX}"


class SubagentFile:
    """The file of one sub-agent.

    What a person changes in it while the turn runs is kept.

    Attributes:
        is_deleted: True once the file, or the prompt in it, is gone.
        problem: Why the file could not be written; empty if it could.
    """

    def __init__(
        self,
        path: Path,
        document: Document,
        cell_id: str,
        record: TurnRecord,
        writes: BackgroundWrites,
        *,
        is_saved: bool = True,
    ) -> None:
        self.path = path
        self.cell_id = cell_id
        self.is_deleted = False
        self.problem = ""
        self._document = document
        self._record = record
        self._writes = writes
        self._is_saved = is_saved
        self._failure: Failure | None = None
        self._saved: tuple[int, int] = (0, 0)
        self._is_behind = False
        self._writing: asyncio.Task[None] | None = None

    @property
    def source(self) -> str:
        """Source of the prompt."""
        return str(self._document.cells[-1]["source"])

    async def read_transcript(self) -> Transcript:
        """Return the prompt as it is about to run. Nothing is above it."""
        metadata = self._document.notebook["metadata"]
        cell: Cell = dict(self._document.cells[-1])
        return Transcript("file", [], cell, metadata=metadata, path=self.path)

    def changed(self) -> None:
        """Write the turn soon if a step or a call has begun or ended since."""
        state = self._record.step, self._record.milestones
        if state != self._saved:
            self._saved = state
            self._write_soon()

    def end(self, failure: Failure | None) -> asyncio.Task[None]:
        """Write the turn, which has ended. The task is done once it is written."""
        self._failure = failure
        return self._write_soon()

    def discard(self) -> None:
        """Remove the file, since the turn does not begin."""
        if self._is_saved:
            with suppress(OSError):
                self.path.unlink()

    def check_deleted(self) -> bool:
        """Return whether the file is gone."""
        if self._is_saved and not os.path.lexists(self.path):
            self.is_deleted = True
        return self.is_deleted

    def _write_soon(self) -> asyncio.Task[None]:
        self._is_behind = True
        if self._writing is None or self._writing.done():
            self._writing = self._writes.start(self._write_latest())
        return self._writing

    async def _write_latest(self) -> None:
        while self._is_behind and not self.is_deleted:
            self._is_behind = False
            await asyncio.to_thread(self._write, copy_turn(self._record.snapshot()), self._failure)

    def _write(self, turn: Turn, failure: Failure | None) -> None:
        error = error_content(failure) if failure else None
        try:
            for _ in range(_ATTEMPTS):
                number = self._find_prompt()
                if number is None:
                    self.is_deleted = True
                    return
                self._document.put_turn(number, turn, error)
                if not self._is_saved:
                    return
                try:
                    self._document.save()
                except FileChangedError:
                    self._document = Document.read(self.path)
                else:
                    self.problem = ""
                    return
            self.problem = "another program keeps changing it"
        except FileNotFoundError:
            self.is_deleted = True
        except (DocumentError, MessageFileError, OSError) as error_:
            self.check_deleted()
            self.problem = describe_file_error(self.path, error_)

    def _find_prompt(self) -> int | None:
        ids = [id_of(cell) for cell in self._document.cells]
        return ids.index(self.cell_id) if self.cell_id in ids else None


def create_conversation(
    path: Path,
    cell_id: str,
    source: str,
    *,
    frontmatter: str,
    metadata: Mapping[str, Any],
    model: str | None,
    is_saved: bool = True,
) -> Document:
    """Return the conversation of a sub-agent with its prompt, written before anything is sent.

    Args:
        frontmatter: YAML of the agents; empty for none.
        metadata: Its AgentMetadata.
        model: The model that the prompt names, if any.
        is_saved: Whether the file is written.

    Raises:
        ToolError: It cannot be written.
    """
    document = Document.new(path)
    own: dict[str, Any] = {AGENT_METADATA_KEY: dict(metadata)}
    if frontmatter:
        own = {"frontmatter": frontmatter, **own}
    document.notebook["metadata"]["msgbook"] = own
    document.cells[:] = [new_prompt(source, cell_id, {"model": model} if model else {})]
    if not is_saved:
        return document
    try:
        if os.path.lexists(path.parent) and path.parent.resolve() != path.parent:
            raise ToolError(f"{path.parent} is a link: no sub-agent's conversation is kept there.")
        # The folder is `SUB_AGENTS` below the project's.
        project = path.parents[len(Path(SUB_AGENTS).parts)]
        with own_folder(project, *path.parent.relative_to(project).parts):
            document.save()
    except (OSError, MessageFileError) as error:
        reason = describe_file_error(path, error)
        raise ToolError(f"The conversation of a sub-agent cannot be written: {reason}") from error
    # As a later run reads it.
    return Document.read(path)
