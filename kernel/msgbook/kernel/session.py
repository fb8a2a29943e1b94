"""The session of one kernel: its settings, its conversation, its memory and its page."""

from __future__ import annotations

import asyncio
import importlib
import os
import uuid
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgbook.approval import Answer, Ask, InputLine, Question, ReadLine, Rule, load_with_project
from msgbook.config import Settings, hide_keys
from msgbook.display.failure import INTERRUPTED, Failure, failure_from_error, log_internal_error
from msgbook.display.turn_view import DisplayMode
from msgbook.errors import ConfigError, MsgbookError
from msgbook.host import home_folder, saved_approver
from msgbook.kernel.code_outputs import OutputRecorder
from msgbook.kernel.gateway import kernel_private_paths, notices
from msgbook.kernel.page.kept_turns import KeptTurns, turns_folder
from msgbook.kernel.page.page_comms import PageComms
from msgbook.kernel.page.page_notebook import PageChanges, PageNotebook
from msgbook.kernel.page.page_turns import AgentKeeper, PageQuestions, PageTurns
from msgbook.kernel.page.queries import PageQueries
from msgbook.kernel.page_queries import answer_queries, tell_changes
from msgbook.kernel.session_keys import SessionKeys
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
from msgbook.text import controls_visible
from msgbook_format.syntax import CellRule
from msgbook_format.turn import Turn
from msgbook_format.typed import text_or_none

if TYPE_CHECKING:
    from msgbook.display.console import TextDisplay
    from msgbook.display.publish import TurnDisplay
    from msgbook.engine import Conversation
    from msgbook.tools import Namespace, Tool


Send = Callable[[str, dict[str, Any]], None]
"""Sends a message to iopub, given its type and content; its parent is the running request."""


class Session:
    """Runs the prompts and the magics of one kernel.

    It reads the settings at once. It makes the engine, which takes long to import, when the first
    cell needs it.

    Args:
        folder: The notebook's folder.
        namespace: Returns the notebook's Python for tools; called when the conversation is made.
        cell_rule: Tells the messages among the cells.
        environ: The environment with the keys that were set aside; by default the process's own.

    Attributes:
        settings: The user's, with the project's; the defaults if they cannot be read.
        keys: The keys that the Jupyter server keeps for its session.
    """

    def __init__(
        self,
        folder: Path,
        namespace: Callable[[], Namespace],
        cell_rule: CellRule,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        self._namespace = namespace
        self._cell_rule = cell_rule
        self.page = PageComms()
        self.memory = SessionMemory()
        self.outputs = OutputRecorder()
        self.keys = SessionKeys()
        self.transcripts = Transcripts(self.page, self.memory, self.outputs)
        self.display_mode = DisplayMode()
        self._kept = KeptTurns(session_notebook_file(os.environ), turns_folder())
        self._turns = PageTurns(self.page, self._kept)
        self.page.on_message("notebook.name", self._rename_kept)
        self._questions = PageQuestions(self.page)
        self._changes = PageChanges(self.page)
        self._input_line = InputLine()
        self._folder = folder
        self._conversation: Conversation | None = None
        self._problem: ConfigError | None = None
        self.settings, self._rules = Settings(), list[Rule]()
        try:
            self.settings, self._rules = load_with_project(folder, environ)
        except ConfigError as error:
            self._problem = ConfigError(f"{error} Correct it, and restart the kernel.")
        warnings = (*self.settings.warnings, *notices(os.environ, self.settings, folder))
        self.settings = replace(self.settings, warnings=warnings)
        hide_keys(self.settings)

    def answer_queries(self, main_loop: asyncio.AbstractEventLoop) -> PageQueries:
        """Answer the queries of pages from now on, on the kernel's main loop."""
        return answer_queries(PageQueries(self.page, main_loop, self.log_internal_error), self)

    def forget(self, cell_ids: Iterable[Any]) -> None:
        """Forget cells that were deleted."""
        cell_ids = list(cell_ids)
        self.transcripts.forget(cell_ids)
        self._turns.forget(cell_ids)

    @contextmanager
    def remembering_code(self, requested: RequestedCell, request_id: str) -> Iterator[None]:
        """Remember a code cell that runs while the context is open, in place of its last run.

        Args:
            request_id: Id of the `execute_request`; empty for code that is not part of the notebook.
        """
        self._turns.forget([requested.cell_id])
        cell = self.transcripts.start_code(requested, request_id) if request_id else None
        try:
            yield
        finally:
            if cell is not None:
                self.transcripts.end_code(cell)

    async def run_prompt(
        self,
        requested: RequestedCell,
        send: Send,
        read_line: ReadLine | None = None,
        *,
        remember: bool = True,
    ) -> Failure | None:
        """Run a turn, show it as one display and remember it. Return why it failed, if it did.

        A cancellation interrupts the turn and is not raised again.

        Args:
            read_line: Asks the requesting client for a line; None if it takes no questions.
            remember: Whether the turn is part of the conversation.
        """
        conversation = await self.ready_conversation()
        cell_id = requested.cell_id
        from msgbook.display.console import TextDisplay
        from msgbook.display.publish import TurnDisplay
        from msgbook.turn_run import run_to_end
        from msgbook_format.turn import bundle

        record = conversation.new_record()
        display: TurnDisplay | TextDisplay
        if self.display_mode.as_text and cell_id is None:
            display = TextDisplay(record, send)
        else:
            display_id = uuid.uuid4().hex
            writer = partial(self._turns.writer_of, display_id)
            display = TurnDisplay(
                record,
                partial(bundle, is_growing=True),
                send,
                display_id,
                pages=self.page,
                cell_id=cell_id,
                writer=writer,
            )
            self._turns.start(display, requested.client_session)

        keeper = AgentKeeper(self.page, requested)

        async def read() -> Transcript:
            transcript = keeper.read(await self.transcripts.read(requested))
            if transcript.source == "live":
                display.follow()
            return transcript

        notebook = PageNotebook(
            self.page,
            self._changes,
            requested,
            self._cell_rule,
            conversation.namespace or self._namespace(),
            _file(requested),
        )
        by_page = self._asker(display, None)
        ask = self._asker(display, read_line)
        ended = await run_to_end(
            conversation,
            requested.source,
            read,
            record,
            display,
            ask,
            keeper.keep,
            confirm=by_page,
            notebook=notebook,
        )
        if remember:
            self.transcripts.remember(requested, ended.turn, ended.transcript)
        display.finish()
        if isinstance(display, TurnDisplay):
            self._turns.end(display)
        return ended.failure

    async def run_magic(
        self, requested: RequestedCell, send: Send, *, remember: bool = True
    ) -> Failure | None:
        """Run a cell with one of msgbook's magics and print its output.

        Args:
            remember: Whether the magic has an effect on the cells below.
        """
        try:
            conversation = await self.ready_conversation()
            from msgbook.magics import run_magic
            from msgbook.magics.base import MagicContext

            context = MagicContext(
                conversation,
                lambda: self.transcripts.read(requested),
                self.display_mode,
                partial(self.page.send_mark, client_session=requested.client_session),
            )
            text = await run_magic(requested.source, context)
        except asyncio.CancelledError:
            return INTERRUPTED
        except MsgbookError as error:
            return failure_from_error(error)
        if remember:
            self.transcripts.remember(requested)
        send("stream", {"name": "stdout", "text": controls_visible(text) + "\n"})
        return None

    @property
    def tools(self) -> list[Tool]:
        """The tools that models can call; none until the first cell has run."""
        return list(self._conversation.tools) if self._conversation is not None else []

    async def offered_models(self, provider: str | None = None) -> list[str]:
        """Return the models that a server of the user offers, by default the first one.

        Raises:
            MsgbookError: The server cannot be asked.
        """
        return await (await self.ready_conversation()).services.servers.list_models(provider)

    def log_internal_error(self, error: Exception) -> Failure:
        """Log an internal error without the user's keys, and return it as a failure."""
        return log_internal_error(error, self.settings.secrets)

    def _rename_kept(self, _comm: Any, data: dict[str, Any]) -> None:
        """Take the name of the notebook's file from a page: it may be another than at the start."""
        name = data.get("name")
        if isinstance(name, str) and name == Path(name).name:
            self._kept.renamed(self._folder / name)

    async def close(self) -> None:
        """Close the connections to model servers, and write what is kept."""
        await asyncio.to_thread(self._kept.finish)
        if self._conversation is not None:
            await self._conversation.services.close()

    async def ready_conversation(self) -> Conversation:
        """Return the conversation, which is made when it is first needed."""
        if self._conversation is None:
            await asyncio.to_thread(importlib.import_module, "msgbook.turn_run")
            settings = await self.keys.wait_for(self.settings)
            self.settings = settings if self._conversation is None else self.settings
            from msgbook.engine import Conversation, Services
            from msgbook.tools import import_tools

            await import_tools(self.settings.plugins_off)
            # Another request may have made it during the import: there is one for all of them.
            self._conversation = self._conversation or Conversation(
                Services(
                    self.settings,
                    private=kernel_private_paths(os.environ, self._folder),
                    problem=self._problem,
                    home=home_folder(),
                ),
                self._folder,
                approver=saved_approver(self.settings, self._folder, self._rules),
                namespace=self._namespace(),
                cell_rule=self._cell_rule,
            )
            tell_changes(self._conversation, self.page)
        return self._conversation

    def _asker(self, display: TurnDisplay | TextDisplay, read_line: ReadLine | None) -> Ask:
        """Return a function that asks on the page that shows the turn, else by `read_line`.

        The question waits for a page that was closed during the turn: nobody reads the input line
        of its client.
        """

        async def ask(question: Question) -> Answer | None:
            if display.is_followed:
                return await self._questions.ask(question, display.cell_id, display.display_id)
            return await by_line(question) if by_line is not None else None

        by_line = self._input_line.asker(read_line)
        return ask


# The cells above a running cell, and the memory of the cells that have run.


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
            saved_id=text_or_none(saved_id),
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
    return requested.path or session_notebook_file(os.environ)


def _version(requested: RequestedCell) -> Hashable:
    return file_version(_file(requested))
