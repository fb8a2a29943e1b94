"""The conversation of one kernel: its settings, its engine, its memory, its page."""

from __future__ import annotations

import asyncio
import importlib
import os
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgbook.approval import Answer, Ask, Question, ReadLine, Rule, ask_by_line, load_with_project
from msgbook.config import Settings, hide_key
from msgbook.display.console import DisplayMode
from msgbook.display.failure import INTERRUPTED, Failure, log_internal_error
from msgbook.errors import ConfigError, MsgbookError
from msgbook.host import home_folder, saved_approver
from msgbook.kernel.code_outputs import CellsOutputs
from msgbook.kernel.earlier_cells import EarlierCells
from msgbook.kernel.gateway import kernel_private_paths, notices
from msgbook.kernel.page.deliveries import Deliveries
from msgbook.kernel.page.page_comms import PageComms
from msgbook.kernel.page.questions import PageQuestions
from msgbook.notebook.cells import IsMagic
from msgbook.notebook.session_memory import RequestedCell, SessionMemory
from msgbook.notebook.transcript import Transcript
from msgbook.text import controls_visible

if TYPE_CHECKING:
    from msgbook.display.console import TextDisplay
    from msgbook.display.publish import TurnDisplay
    from msgbook.engine import Engine
    from msgbook.tools import Namespace, Tool

Send = Callable[[str, dict[str, Any]], None]
"""Sends a message of a type with its content to iopub, on behalf of the running request."""


class Session:
    """Runs the prompts and the magics of one kernel.

    Settings are read when it is made; the engine, which takes long to import, is made when it is
    first needed.

    Args:
        folder: The notebook's.
        namespace: Makes the notebook's Python as tools use it, once the engine is made.
        is_magic: Which magics run as code.

    Attributes:
        settings: Of the user, with what the project may set; the defaults where they cannot be read.
    """

    def __init__(self, folder: Path, namespace: Callable[[], Namespace], is_magic: IsMagic) -> None:
        self._namespace = namespace
        self._is_magic = is_magic
        self.page = PageComms()
        self.memory = SessionMemory()
        self.outputs = CellsOutputs()
        self._earlier = EarlierCells(self.page, self.memory, self.outputs)
        self.display = DisplayMode()
        self._deliveries = Deliveries(self.page)
        self._questions = PageQuestions(self.page)
        self._folder = folder
        self._engine: Engine | None = None
        self._problem: ConfigError | None = None
        self.settings = Settings()
        self._rules: list[Rule] = []
        try:
            self.settings, self._rules = load_with_project(folder)
        except ConfigError as error:
            self._problem = error
        warnings = (*self.settings.warnings, *notices(os.environ, self.settings, folder))
        self.settings = replace(self.settings, warnings=warnings)
        hide_key(self.settings)

    def forget(self, cell_ids: Iterable[Any]) -> None:
        """Drop cells that were deleted."""
        cell_ids = list(cell_ids)
        self._earlier.forget(cell_ids)
        self._deliveries.forget(cell_ids)

    @contextmanager
    def remembering(self, requested: RequestedCell, request: str) -> Iterator[None]:
        """Keep a code cell that runs meanwhile, in place of what the cell was before.

        Args:
            request: Id of the message that asks for it; empty for what is no part of the notebook.
        """
        self._deliveries.forget([requested.cell_id])
        one = self._earlier.code_runs(requested, request) if request else None
        try:
            yield
        finally:
            if one is not None:
                self._earlier.code_ended(one)

    async def run_prompt(
        self,
        requested: RequestedCell,
        send: Send,
        read_line: ReadLine | None = None,
        *,
        remember: bool = True,
    ) -> Failure | None:
        """Run a turn, show it as one display, remember it; what it failed with, if it did.

        An interrupt ends the turn like any other end: the cancellation goes no further.

        Args:
            read_line: Asks the client that sent the request; None where it takes no questions.
            remember: Whether the turn is part of the conversation.
        """
        engine = await self._ready_engine()
        cell_id = requested.cell_id
        from msgbook.display.console import TextDisplay
        from msgbook.display.publish import TurnDisplay
        from msgbook.turn_run import run_to_end
        from msgbook_format.turn import bundle

        record = engine.new_record()
        display: TurnDisplay | TextDisplay
        if self.display.as_text and cell_id is None:
            display = TextDisplay(record, send)
        else:
            display_id = uuid.uuid4().hex
            writer = partial(self._deliveries.writer, display_id)
            display = TurnDisplay(
                record, bundle, send, display_id, pages=self.page, cell_id=cell_id, writer=writer
            )
            self._deliveries.begin(display, requested.client_session)

        async def read_transcript() -> Transcript:
            transcript = await self._earlier.of(requested)
            if transcript.source == "live":
                display.follow()
            return transcript

        ask = self._asking(display, read_line)
        ended = await run_to_end(engine, requested.source, read_transcript, record, display, ask)
        if remember:
            self._earlier.ran(requested, ended.turn, ended.transcript)
        display.finish()
        if isinstance(display, TurnDisplay):
            self._deliveries.end(display)
        return ended.failure

    async def run_magic(
        self, requested: RequestedCell, send: Send, *, remember: bool = True
    ) -> Failure | None:
        """Run a cell of msgbook's own magics and print what it says.

        Args:
            remember: Whether it counts for the cells below.
        """
        try:
            engine = await self._ready_engine()
            from msgbook.magics import run_magic
            from msgbook.magics.base import MagicContext

            scene = MagicContext(
                engine,
                lambda: self._earlier.of(requested),
                self.display,
                partial(self.page.mark, client=requested.client_session),
            )
            text = await run_magic(requested.source, scene)
        except asyncio.CancelledError:
            return INTERRUPTED
        except MsgbookError as error:
            return Failure(getattr(error, "name", type(error).__name__), str(error))
        if remember:
            self._earlier.ran(requested)
        send("stream", {"name": "stdout", "text": controls_visible(text) + "\n"})
        return None

    @property
    def tools(self) -> list[Tool]:
        """What the models can call; none until the first cell has run."""
        return list(self._engine.tools) if self._engine is not None else []

    async def offered_models(self) -> list[str]:
        """The models that the server offers.

        Raises:
            MsgbookError: The server cannot be asked.
        """
        return await (await self._ready_engine()).servers.offered_models()

    def log_internal_error(self, error: Exception) -> Failure:
        """Log an error of msgbook's own without the user's keys, and return it as a failure."""
        return log_internal_error(error, self.settings.secrets)

    async def close(self) -> None:
        """Close the connections to model servers."""
        if self._engine is not None:
            await self._engine.close()

    async def _ready_engine(self) -> Engine:
        if self._engine is None:
            module = await asyncio.to_thread(importlib.import_module, "msgbook.engine")
            self._engine = module.Engine(
                self.settings,
                self._folder,
                private=kernel_private_paths(os.environ, self._folder),
                approver=saved_approver(self.settings, self._folder, self._rules),
                namespace=self._namespace(),
                problem=self._problem,
                is_magic=self._is_magic,
                home=home_folder(),
            )
        return self._engine

    def _asking(self, display: TurnDisplay | TextDisplay, read_line: ReadLine | None) -> Ask:
        """How a person is asked: on the page that shows the turn, else where the cell came from.

        A page that was closed in mid-turn is waited for: nobody reads its client's input line.
        """

        async def ask(question: Question) -> Answer | None:
            if display.followed:
                return await self._questions.ask(question, display.cell_id, display.display_id)
            return await ask_by_line(question, read_line) if read_line is not None else None

        return ask


def warm_up() -> None:
    """Import what the first turn needs; takes about a second, so do it in a thread."""
    for name in (
        "msgbook.turn_run",
        "msgbook.magics",
        "msgbook_format.turn.markdown.render",
        "openai",
    ):
        importlib.import_module(name)
