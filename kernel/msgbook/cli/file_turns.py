"""Prompts of a file answered without a kernel and without a page."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgbook.approval import ReadLine, ask_by_line, load_with_project
from msgbook.cli.input_line import can_ask, read_line
from msgbook.cli.unsaved import unsaved
from msgbook.cli.usage_errors import CommandError
from msgbook.config import ApprovalPolicy, Settings, hide_keys
from msgbook.display.failure import Failure, error_content
from msgbook.engine import Engine
from msgbook.host import home_folder, private_paths, saved_approver
from msgbook.notebook import Cell, Document, Transcript, is_prompt, outputs_of, source_of
from msgbook.request.history import is_continue
from msgbook.turn import REFERENCE_STEP, turn_messages
from msgbook.turn_run import run_to_end
from msgbook_format.errors import FileChangedError
from msgbook_format.syntax import has_msgbook_kernel
from msgbook_format.turn import Block, Turn, turn_of

if TYPE_CHECKING:
    from msgbook.approval import Ask, Rule
    from msgbook.cli.screen import Screen
    from msgbook.display.turn_view import TurnView

_POLICIES: tuple[ApprovalPolicy, ...] = ("deny", "ask", "allow")
"""The narrowest first."""

_NOT_FROM_MODEL = ("notice", "error")
"""Types of the blocks that we write; those of newer versions count as the model's."""

UNSAVED = "unsaved"
"""Shown in place of a turn's status where the file could not be written."""


class FileTurns:
    """Answers prompts of one document; the file is written after each.

    Args:
        read_line: Asks the user; None where nobody can be asked.
    """

    def __init__(
        self, document: Document, engine: Engine, screen: Screen, read_line: ReadLine | None
    ) -> None:
        self._document = document
        self._engine = engine
        self._screen = screen
        self._read_line = read_line

    async def answer(self, number: int) -> Failure | None:
        """Run one turn, write it and show it; what it failed with, if it did.

        An interrupt ends the turn like any other end: the cancellation goes no further. A turn
        that failed without a word does not take the place of an answer.

        Raises:
            CommandError: The file cannot be written; says where the turn is.
        """
        cells = self._document.cells
        cell = cells[number]
        record = self._engine.new_record()
        view = self._screen.begin(cell, record)

        async def read_transcript() -> Transcript:
            metadata, path = self._document.notebook["metadata"], self._document.path
            return Transcript("file", cells[:number], cell, metadata=metadata, path=path)

        ended = await run_to_end(
            self._engine, source_of(cell), read_transcript, record, view, self._asker()
        )
        turn, failure = ended.turn, ended.failure
        try:
            if not (failure and is_answered(cell) and not _says_something(turn)):
                self._document.put_turn(number, turn, error_content(failure) if failure else None)
                self._save(turn)
        except Exception:
            # Standard output may be on the same full disk: what has to be told is the first error.
            with suppress(OSError):
                self._show_end(view, cell, {**turn, "status": UNSAVED})
            raise
        self._show_end(view, cell, turn)
        return failure

    def _show_end(self, view: TurnView, cell: Cell, turn: Turn) -> None:
        view.finish()
        self._screen.end(cell, turn)

    def _asker(self) -> Ask | None:
        return partial(ask_by_line, read_line=self._read_line) if self._read_line else None

    def _save(self, turn: Turn) -> None:
        try:
            self._document.save()
        except (FileChangedError, OSError) as error:
            raise unsaved(self._document, turn, error, is_shown=self._screen.live) from error


def run_turns(
    document: Document,
    screen: Screen,
    job: Callable[[FileTurns], Awaitable[int]],
    *,
    approval: ApprovalPolicy = "allow",
) -> int:
    """Do a job with the user's settings and the project's, until it is done or interrupted.

    Questions about tool calls are asked on the terminal where there is one.

    Args:
        approval: The widest policy; the environment's holds where that is narrower.

    Returns:
        What the job returns; 1 when it was interrupted between two turns.

    Raises:
        MsgbookError: The settings cannot be used, or what the job raises.
    """
    folder = document.path.absolute().parent
    settings, rules = load_with_project(folder)
    settings = _narrowed(settings, approval)
    hide_keys(settings)

    async def run() -> int:
        _cancel_when_told_to_end()
        engine = engine_for(folder, settings, rules)
        try:
            asked = read_line if can_ask() else None
            return await job(FileTurns(document, engine, screen, asked))
        finally:
            await engine.close()

    try:
        return asyncio.run(run())
    except asyncio.CancelledError:
        return 1


def engine_for(folder: Path, settings: Settings, rules: Sequence[Rule]) -> Engine:
    """The engine of a command; the caller closes it.

    Args:
        folder: The document's.
    """
    return Engine(
        settings,
        folder,
        private=private_paths(),
        approver=saved_approver(settings, folder, rules),
        home=home_folder(),
    )


def require_conversation(document: Document) -> None:
    """Raise `CommandError` unless code cells of the document are prompts."""
    metadata = document.notebook["metadata"]
    if not has_msgbook_kernel(metadata):
        kernelspec = metadata.get("kernelspec")
        name = kernelspec.get("name") if isinstance(kernelspec, dict) else None
        raise CommandError(
            f"{document.path}: expected a notebook of the kernel msgbook, whose cells are messages; "
            f"found {f'the kernel {name!r}' if name else 'no kernel'}"
        )


def is_prompt_cell(cell: Cell) -> bool:
    """Whether a model answers this cell."""
    source = source_of(cell)
    if cell.get("cell_type") != "code" or not source.strip():
        return False
    return is_continue(source) or is_prompt(source)


def is_answered(cell: Cell) -> bool:
    """Whether something stands below a prompt that another run would take away.

    A turn that failed before it said or did anything is no answer. One that ended otherwise is, if
    anything of the model's is in it, be it reasoning or a call that was cut: who stopped it has seen it.
    """
    for output in outputs_of(cell):
        turn = turn_of(output)
        if turn is None and output.get("output_type") != "error":
            return True
        if turn is not None and (turn["status"] == "done" or _is_worth_keeping(turn)):
            return True
    return False


def _is_worth_keeping(turn: Turn) -> bool:
    """Whether a turn that is not whole is left as it is."""
    if turn["status"] == "error":
        return _says_something(turn)
    return any(block["type"] not in _NOT_FROM_MODEL for block in _own_blocks(turn))


def _says_something(turn: Turn) -> bool:
    """Whether a model said or called anything."""
    return bool(turn_messages(_own_blocks(turn)))


def _own_blocks(turn: Turn) -> Iterator[Block]:
    """The turn's blocks without what the prompt itself called, which is not the model's."""
    return (block for block in turn["blocks"] if block.get("step") != REFERENCE_STEP)


def _narrowed(settings: Settings, approval: ApprovalPolicy) -> Settings:
    return replace(settings, approval=min(settings.approval, approval, key=_POLICIES.index))


def _cancel_when_told_to_end() -> None:
    """Keep what has arrived when the terminal closes or a supervisor ends the process (POSIX)."""
    task, loop = asyncio.current_task(), asyncio.get_running_loop()
    assert task is not None  # noqa: S101 - a coroutine calls this
    for name in ("SIGTERM", "SIGHUP"):
        with suppress(AttributeError, NotImplementedError):
            loop.add_signal_handler(getattr(signal, name), task.cancel)
