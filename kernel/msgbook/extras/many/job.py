"""The job of one file of many: how it is done, and its result."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from msgbook.approval import Rule, load_with_project
from msgbook.cli.file_notebook import position_of
from msgbook.cli.file_prompts import is_cut_off, is_prompt_cell, prompts_to_answer, shown_id
from msgbook.cli.file_turns import FileTurns, narrowed, open_conversation, require_conversation
from msgbook.cli.incomplete_answers import NOT_SENT, answer_prompts
from msgbook.cli.screen import find_notices
from msgbook.cli.terminal import CommandError
from msgbook.config import ApprovalPolicy, Settings, hide_keys
from msgbook.display.failure import INTERRUPTED, Failure, log_internal_error
from msgbook.display.turn_view import HiddenTurn, TurnView
from msgbook.errors import MsgbookError
from msgbook.magics.overview import cost_by
from msgbook.notebook import Cell, Document, TurnUsage, list_turn_usage, working_folder
from msgbook.provider import Paces
from msgbook.turn import Purse, TurnRecord
from msgbook_format.agent_states import claim, mark_running, read_marks
from msgbook_format.agents import agent_metadata_of
from msgbook_format.syntax import has_msgbook_kernel
from msgbook_format.turn import Turn, turn_of

Status = Literal[
    "done",
    "incomplete",
    "failed",
    "interrupted",
    "not run",
    "answered",
    "no prompt",
    "in use",
    "unsaved",
    "unreadable",
    "other",
]

EXIT_CODES: dict[Status, int] = {
    "done": 0,
    "incomplete": 0,
    "answered": 0,
    "no prompt": 0,
    "other": 0,
    "failed": 1,
    "interrupted": 1,
    "not run": 1,
    "in use": 1,
    "unsaved": 2,
    "unreadable": 2,
}
"""What each status makes of the exit code: 1 for a prompt without an answer, 2 for a file that could not be used.

The page about commands says what the words mean; `other` is a notebook of another kernel, which is not shown.
"""


@dataclass(frozen=True, slots=True)
class Job:
    """Answers prompts of one file. It can be sent to another machine."""

    path: Path
    again: bool = False
    """Whether prompts that have an answer are answered again."""
    approval: ApprovalPolicy = "allow"
    """Most permissive policy for tool calls; nobody can be asked."""
    folder: Path | None = None
    """Folder that the conversation works in; None for the file's own."""


@dataclass(frozen=True, slots=True)
class PaidTurn:
    """A turn that was run, and its cost; None where no price is known."""

    usage: TurnUsage
    cost: float | None


@dataclass(slots=True)
class FileResult:
    """The result of a job."""

    path: Path
    status: Status
    turns: list[PaidTurn] = field(default_factory=list)
    """Those of this run."""
    seconds: float = 0.0
    notices: list[tuple[str, str]] = field(default_factory=list)
    """Place and words of each warning and error."""

    def set_path(self, path: Path) -> None:
        """Set the path, and put it in place of the old one in the notices."""
        old, new = str(self.path), str(path)
        self.notices = [
            (place.replace(old, new), words.replace(old, new)) for place, words in self.notices
        ]
        self.path = path


def exit_code(results: Iterable[FileResult]) -> int:
    """Return the exit code of a run, the worst of its files'."""
    return max((EXIT_CODES[result.status] for result in results), default=0)


# A job done: the prompts of one file, answered and saved one after the other.


class Worker:
    """Does jobs in this process. They share the paces of the servers.

    Args:
        environ: The environment as it was before keys were removed from it; by default as it is.
        on_turn: Called at the end of each turn.
        purse: What all jobs may spend together; None for any amount.

    Attributes:
        paces: Of the servers.
    """

    def __init__(
        self,
        environ: Mapping[str, str] | None = None,
        on_turn: Callable[[], None] = lambda: None,
        purse: Purse | None = None,
    ) -> None:
        self._purse = purse
        self._environ = dict(os.environ if environ is None else environ)
        self._settings: dict[Path, tuple[Settings, list[Rule]]] = {}
        self.paces = Paces()
        self._on_turn = on_turn

    async def do(self, job: Job) -> FileResult:
        """Do a job. Whatever ends it, what has arrived is saved, and the result says what happened."""
        result = FileResult(job.path, "unreadable")
        started, secrets = time.monotonic(), tuple[str, ...]()
        try:
            folder = job.folder or working_folder(job.path.absolute().parent)
            settings, rules = self._load(folder)
            secrets = settings.secrets
            await _FileJob(
                job, result, folder, settings, rules, self.paces, self._on_turn, self._purse
            ).run()
        except asyncio.CancelledError:
            result.status = "interrupted" if result.turns else "not run"
        except MsgbookError as error:
            result.notices.append((str(job.path), str(error)))
        except Exception as error:
            result.status = "failed"
            result.notices.append((str(job.path), log_internal_error(error, secrets).message))
        result.seconds = time.monotonic() - started
        return result

    def _load(self, folder: Path) -> tuple[Settings, list[Rule]]:
        """Return the settings in force in a folder. Each is read once: all its files have the same."""
        if folder not in self._settings:
            self._settings[folder] = load_with_project(folder, self._environ)
            hide_keys(self._settings[folder][0])
        return self._settings[folder]


class _FileJob:
    """One job, while it is done."""

    live = False

    def __init__(
        self,
        job: Job,
        result: FileResult,
        folder: Path,
        settings: Settings,
        rules: list[Rule],
        paces: Paces,
        on_turn: Callable[[], None],
        purse: Purse | None,
    ) -> None:
        self._purse = purse
        self._job, self._result, self._folder = job, result, folder
        self._settings, self._rules = narrowed(settings, job.approval), rules
        self._paces, self._on_turn = paces, on_turn

    async def run(self) -> None:
        with claim(self._job.path) as is_claimed:
            # Read behind the claim: what another run has answered is not asked again.
            document, numbers = await self._find()
            if numbers:
                await self._do(document, numbers, is_claimed=is_claimed)

    async def _find(self) -> tuple[Document, list[int]]:
        """Return the conversation and the numbers of its prompts to answer; if there are none, the status says why."""
        job, result = self._job, self._result
        document = await asyncio.to_thread(Document.read, job.path)
        if job.path.suffix == ".ipynb" and not has_msgbook_kernel(document.notebook["metadata"]):
            result.status = "other"
            return document, []
        require_conversation(document)
        document.require_writable()
        cells = document.cells
        numbers = prompts_to_answer(cells, document.cell_rule, 0, again=job.again)
        numbers = sorted(
            {*numbers, *(n for n, cell in enumerate(cells) if is_cut_off(cell, document.cell_rule))}
        )
        if not numbers:
            has_prompt = any(is_prompt_cell(cell, document.cell_rule) for cell in cells)
            result.status = "answered" if has_prompt else "no prompt"
        return document, numbers

    async def _do(self, document: Document, numbers: list[int], *, is_claimed: bool) -> None:
        job, result = self._job, self._result
        uuid = str(agent_metadata_of(document.notebook["metadata"]).get("uuid") or "")
        if not is_claimed or read_marks().is_running(job.path, uuid):
            result.status = "in use"
            return
        changed: list[Cell] = []
        with mark_running(job.path, uuid, writes=True):
            try:
                result.status = await self._answer(document, numbers, changed)
            except CommandError as error:
                result.status = "unsaved"
                self._tell(str(self._job.path), str(error))
            finally:
                self._count(document, changed)

    async def _answer(self, document: Document, numbers: list[int], changed: list[Cell]) -> Status:
        conversation = open_conversation(
            self._folder,
            self._settings,
            self._rules,
            cell_rule=document.cell_rule,
            paces=self._paces,
            purse=self._purse,
        )
        cells = [document.cells[number] for number in numbers]
        try:
            answering = FileTurns(document, conversation, self, None)
            failure = await answer_prompts(answering, document, numbers, changed, self._tell)
        finally:
            await conversation.services.close()
        return _status(cells, failure)

    def _count(self, document: Document, changed: list[Cell]) -> None:
        """Note the tokens and cost of the turns that were run."""
        cost, ran = (
            cost_by(self._settings),
            {position_of(document.cells, cell) + 1 for cell in changed},
        )
        usages = (usage for usage in list_turn_usage(document.cells) if usage.cell in ran)
        self._result.turns = [PaidTurn(usage, cost(usage)) for usage in usages]

    def _tell(self, place: str, words: str, _advice: str = "") -> None:
        # The advice names one file. For many it is the same: run the folder again.
        self._result.notices.append((place, words))

    def begin(self, _cell: Cell, _record: TurnRecord) -> TurnView:
        return HiddenTurn()

    def end(self, cell: Cell, turn: Turn) -> None:
        place = f"{self._job.path}/{shown_id(cell)}"
        self._result.notices += [(place, words) for words in find_notices(turn)]
        self._on_turn()


def _status(cells: Sequence[Cell], failure: Failure | None) -> Status:
    if failure is not None and failure.name == NOT_SENT:
        return "not run"
    if failure is not None:
        return "interrupted" if failure is INTERRUPTED else "failed"
    outputs = (output for cell in cells for output in cell.get("outputs", ()))
    turns = filter(None, map(turn_of, outputs))
    return "incomplete" if any(turn["status"] == "incomplete" for turn in turns) else "done"
