"""Answers prompts of a file without a kernel and without a page: what is asked, and what is saved if a file cannot be."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from msgbook.approval import InputLine, ReadLine, Rule, load_with_project
from msgbook.cassette import Cassette, Recorder
from msgbook.cli.file_notebook import FileNotebook, position_of
from msgbook.cli.file_prompts import has_model_output, is_answered
from msgbook.cli.folders import unused_paths
from msgbook.cli.screen import TurnScreen
from msgbook.cli.terminal import CommandError, say, write
from msgbook.config import ApprovalPolicy, Settings, hide_keys
from msgbook.display.failure import Failure, error_content
from msgbook.display.turn_view import TurnView
from msgbook.engine import Conversation, Services
from msgbook.host import home_folder, private_paths, saved_approver
from msgbook.notebook import (
    Cell,
    Document,
    DocumentError,
    Transcript,
    create,
    create_beside,
    source_of,
    working_folder,
)
from msgbook.provider import Paces
from msgbook.text import without_data
from msgbook.tools import AbsentPython
from msgbook.turn import Purse
from msgbook.turn_run import run_to_end
from msgbook_format.errors import FileChangedError
from msgbook_format.files import create_bytes, stem_of
from msgbook_format.lazy import load_extra
from msgbook_format.syntax import CellRule, has_msgbook_kernel
from msgbook_format.turn import Turn, answer_text
from msgbook_format.typed import as_dict

_POLICIES: tuple[ApprovalPolicy, ...] = ("deny", "ask", "allow")
"""Policies for tool calls, the strictest first."""

UNSAVED = "unsaved"
"""Shown instead of a turn's status if the file could not be written."""


_Recording = Callable[
    [Path, Settings, str], AbstractContextManager[tuple[Recorder, Callable[[int], int]]]
]
"""Makes the recorder of a run, and the function that takes and returns the run's exit code."""


class FileTurns:
    """Answers prompts of one document and writes the file after each.

    Args:
        read_line: Asks the user; None if nobody can be asked.
        recorder: Records which cells are answered.
        is_saved: Whether the file is written after each.
    """

    def __init__(
        self,
        document: Document,
        conversation: Conversation,
        screen: TurnScreen,
        read_line: ReadLine | None,
        recorder: Recorder | None = None,
        *,
        is_saved: bool = True,
    ) -> None:
        self._document = document
        self._conversation = conversation
        self._screen = screen
        self._ask = InputLine().asker(read_line)
        self._recorder = recorder
        self._is_saved = is_saved

    @property
    def purse(self) -> Purse | None:
        """What the turns may spend together."""
        return self._conversation.services.purse

    async def answer(self, number: int) -> Failure | None:
        """Run one turn, write it, show it, and return its failure, if any.

        An interrupt ends the turn, and the cancellation goes no further. A turn that failed without
        any text does not replace an answer.

        Raises:
            CommandError: The file cannot be written; the message says where the turn is.
        """
        cells = self._document.cells
        cell = cells[number]
        record = self._conversation.new_record()
        view = self._screen.begin(cell, record)
        if self._recorder is not None:
            self._recorder.begin_cell(self._document.notebook)

        async def read_transcript() -> Transcript:
            metadata, path = self._document.notebook["metadata"], self._document.path
            return Transcript("file", cells[:number], cell, metadata=metadata, path=path)

        agents: list[dict[str, Any]] = []
        notebook = FileNotebook(
            self._document, cell, self._conversation.services.ids, is_saved=self._is_saved
        )
        ended = await run_to_end(
            self._conversation,
            source_of(cell),
            read_transcript,
            record,
            view,
            self._ask,
            agents.append,
            notebook=notebook,
        )
        number = position_of(cells, cell)
        turn, failure = ended.turn, ended.failure
        try:
            is_kept = bool(failure) and is_answered(cell) and not has_model_output(turn)
            if not is_kept:
                for agent in agents:
                    self._document.put_agent(agent)
                self._document.put_turn(number, turn, error_content(failure) if failure else None)
                self._save(turn)
            if self._recorder is not None:
                self._recorder.end_cell(
                    number,
                    cell.get("id"),
                    self._document.notebook,
                    notebook.changes,
                    is_kept=is_kept,
                )
        except Exception:
            # Standard output may be on the same full disk. The first error is the one to report.
            with suppress(OSError):
                self._show_end(view, cell, {**turn, "status": UNSAVED})
            raise
        self._show_end(view, cell, turn)
        return failure

    def _show_end(self, view: TurnView, cell: Cell, turn: Turn) -> None:
        view.finish()
        self._screen.end(cell, turn)

    def _save(self, turn: Turn) -> None:
        if not self._is_saved:
            return
        try:
            self._document.save()
        except (FileChangedError, OSError) as error:
            raise save_elsewhere(self._document, turn, error, is_shown=self._screen.live) from error


def run_turns(
    document: Document,
    screen: TurnScreen,
    job: Callable[[FileTurns], Awaitable[int]],
    *,
    approval: ApprovalPolicy = "allow",
    cassette: Path | None = None,
    purse: Purse | None = None,
) -> int:
    """Run a job with the user's settings and the project's until it is done or interrupted.

    Questions about tool calls appear on the terminal, if there is one.

    Args:
        approval: Most permissive policy; a stricter one in the environment still holds.
        cassette: File in which the turns are recorded.
        purse: What the turns may spend together; None for any amount.

    Returns:
        The result of the job; 1 if it was interrupted between two turns.

    Raises:
        MsgbookError: The settings cannot be used, or the job raised it.
    """
    folder = working_folder(document.path.absolute().parent)
    settings, rules = load_with_project(folder)
    settings = narrowed(settings, approval)
    hide_keys(settings)

    async def run(recorder: Recorder | None) -> int:
        cancel_on_signals()
        conversation = open_conversation(
            folder, settings, rules, recorder, cell_rule=document.cell_rule, purse=purse
        )
        try:
            ask = read_line if can_ask() else None
            return await job(FileTurns(document, conversation, screen, ask, recorder))
        finally:
            await conversation.services.close()

    try:
        if cassette is None:
            return asyncio.run(run(None))
        recording: _Recording = load_extra("msgbook", "cassettes.recording")
        with recording(cassette, settings, document.path.name) as (recorder, ended):
            return ended(asyncio.run(run(recorder)))
    except asyncio.CancelledError:
        return 1


def open_conversation(
    folder: Path,
    settings: Settings,
    rules: Sequence[Rule],
    cassette: Cassette | None = None,
    paces: Paces | None = None,
    *,
    cell_rule: CellRule,
    as_kernel: bool = False,
    purse: Purse | None = None,
) -> Conversation:
    """Return the conversation of a command. The caller closes its services.

    Args:
        folder: Folder of the document.
        cell_rule: The document's.
        paces: Of the servers, where several sessions share them.
        as_kernel: Whether requests are only shown, as the notebook's kernel would send them: it has a
            Python, where the command has none.
        purse: What its turns may spend, together with those of other conversations.
    """
    return Conversation(
        Services(
            settings,
            private=private_paths(),
            home=home_folder(),
            cassette=cassette,
            paces=paces,
            purse=purse,
        ),
        folder,
        approver=saved_approver(settings, folder, rules),
        namespace=AbsentPython() if as_kernel else None,
        cell_rule=cell_rule,
    )


def require_conversation(document: Document) -> None:
    """Raise `CommandError` unless code cells of the document are prompts."""
    metadata = document.notebook["metadata"]
    if not has_msgbook_kernel(metadata):
        kernelspec = metadata.get("kernelspec")
        name = as_dict(kernelspec).get("name")
        raise CommandError(
            f"{document.path}: expected a notebook of the kernel msgbook, whose cells are messages; "
            f"it has {f'the kernel {name!r}' if name else 'no kernel'}"
        )


def narrowed(settings: Settings, approval: ApprovalPolicy) -> Settings:
    """Return settings with a policy for tool calls that is at least as strict."""
    return replace(settings, approval=min(settings.approval, approval, key=_POLICIES.index))


def cancel_on_signals() -> None:
    """Keep what has arrived if the terminal closes or a supervisor ends the process (POSIX)."""
    task, loop = asyncio.current_task(), asyncio.get_running_loop()
    assert task is not None  # noqa: S101 - a coroutine calls this
    for number in ending_signals():
        with suppress(NotImplementedError):
            loop.add_signal_handler(number, task.cancel)


def ending_signals() -> list[int]:
    """Return the signals that end a run as Ctrl+C does, without those that `nohup` makes it ignore."""
    numbers = [getattr(signal, name, None) for name in ("SIGTERM", "SIGHUP")]
    return [n for n in numbers if n is not None and signal.getsignal(n) is not signal.SIG_IGN]


# Reading of a line that the user types on the terminal while turns run.


_MOST = 4096
"""Bytes of a line; terminals deliver no longer lines at once."""


def can_ask() -> bool:
    """Return whether the user can see a question and answer it."""
    return sys.stdin.isatty() and sys.stderr.isatty()


async def read_line(prompt: str) -> str:
    """Show a prompt and return the line that is typed; empty at the end of the input.

    The event loop keeps running, so that an interrupt ends the wait. Text that was typed before the
    prompt appeared is dropped.
    """
    loop = asyncio.get_running_loop()
    typed: asyncio.Future[bytes] = loop.create_future()

    def settle(line: bytes) -> None:
        if not typed.done():
            typed.set_result(line)

    def wait() -> None:
        # Not `sys.stdin`: Python would wait for its lock when it ends.
        try:
            line = os.read(descriptor, _MOST)
        except OSError:
            line = b""
        with suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(settle, line)

    descriptor = sys.stdin.fileno()
    _drop_typed(descriptor)
    write(prompt, sys.stderr)
    sys.stderr.flush()
    threading.Thread(target=wait, name="msgbook-line", daemon=True).start()
    return (await typed).decode("utf-8", "replace")


def _drop_typed(descriptor: int) -> None:
    try:
        import termios
    except ImportError:  # Windows
        return
    with suppress(termios.error):
        termios.tcflush(descriptor, termios.TCIFLUSH)


# Rescue of an answer if the conversation's file cannot be written.


def save_elsewhere(
    document: Document, turn: Turn, cause: Exception, *, is_shown: bool
) -> CommandError:
    """Save the conversation elsewhere and return the error that says why and where.

    If no file can be written at all, the text of the answer is printed on standard error.

    Args:
        turn: The last turn, which is in the document already.
        cause: The error that writing the file raised.
        is_shown: Whether a terminal shows the turn anyway.
    """
    kept = _keep_elsewhere(document)
    if kept is None and not is_shown:
        with suppress(OSError):
            say(without_data(answer_text(turn["blocks"])), sys.stderr)
    advice = "Copy the last answer from above: it is saved nowhere."
    return CommandError(describe_unsaved(document.path, cause, kept, advice))


def describe_unsaved(path: Path, cause: Exception, kept: Path | None, advice: str = "") -> str:
    """Return the words about a file that could not be written.

    Args:
        kept: Where its content is instead; None if no other file could be written either.
        advice: What to do in that case.
    """
    where = (
        f"The conversation with the last answer is in {kept}"
        if kept is not None
        else f"No other file could be written. {advice}".rstrip()
    )
    return f"{path} was not written: {_why(cause)}. {where}"


def keep_content(path: Path, content: bytes) -> Path | None:
    """Write the content of a file that cannot be written beside it, or else into a private temporary folder.

    Returns:
        The file that was written; None if neither works.
    """
    stem = stem_of(path.name)
    with suppress(OSError, CommandError):
        [kept] = unused_paths(path.parent, [f"{stem}.unsaved"], path.name.removeprefix(stem))
        create_bytes(kept, content)
        return kept
    with suppress(OSError):
        kept = Path(tempfile.mkdtemp(prefix="msgbook-")) / path.name
        create_bytes(kept, content)
        return kept
    return None


def _why(cause: Exception) -> str:
    if isinstance(cause, FileChangedError):
        return "it has changed since it was read"
    message = cause.strerror if isinstance(cause, OSError) else None
    return message or type(cause).__name__


def _keep_elsewhere(document: Document) -> Path | None:
    """Save beside the file, or else in a private temporary folder; None if neither works."""
    with suppress(DocumentError):
        return create_beside(document.path, document.notebook, ".unsaved")
    with suppress(OSError):
        folder = Path(tempfile.mkdtemp(prefix="msgbook-"))
        try:
            # With its own name: a longer one may be too long.
            kept = folder / document.path.name
            create(kept, document.notebook)
        except DocumentError:
            folder.rmdir()
        else:
            return kept
    return None
