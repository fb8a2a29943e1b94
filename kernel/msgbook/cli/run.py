"""`msgbook run FILE`: answer the prompts of a conversation, without JupyterLab."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgbook.cli.cell_names import NO_ID, require_cell, shown_id, shown_title
from msgbook.cli.terminal import complain

if TYPE_CHECKING:
    from msgbook.cli.file_turns import FileTurns
    from msgbook.config import ApprovalPolicy
    from msgbook.notebook import Cell, Document

_NAMED = 10
"""How many cells a line names."""

_VERB = "run"


def add(verbs: Any) -> None:
    """Declare the verb."""
    parser = verbs.add_parser(
        _VERB,
        help="answer the prompts of a conversation that have no answer",
        description="Answer the prompts of FILE (.msg.md, .md with message_section, .ipynb) that "
        "have no answer, from the top, and write the file after each. Code cells are not run. "
        "Exit code: 0 when all have their answers, 1 when a turn failed, which ends the run.",
    )
    parser.add_argument("file", metavar="FILE")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--all", action="store_true", help="answer all prompts anew")
    which.add_argument(
        "--from", dest="first", metavar="ID", help="answer that prompt and all below it anew"
    )
    add_approval(parser)
    parser.set_defaults(run=_run)


def add_approval(parser: argparse.ArgumentParser) -> None:
    """Declare the option that narrows what tools may do."""
    parser.add_argument(
        "--approval",
        choices=("ask", "deny"),
        help="ask about calls that need approval, or deny them; MSGBOOK_APPROVAL holds where it is "
        "stricter",
    )


def _run(arguments: argparse.Namespace) -> int:
    from msgbook.host import hide_from_children

    hide_from_children()
    return run_file(
        Path(arguments.file),
        again=arguments.all,
        first=arguments.first,
        approval=arguments.approval or "allow",
    )


def run_file(
    path: Path,
    *,
    again: bool = False,
    first: str | None = None,
    approval: ApprovalPolicy = "allow",
) -> int:
    """Answer prompts of a file, in document order.

    Args:
        again: Those that have an answer, too.
        first: Id of the cell at which to begin; all prompts from there on are answered anew.
        approval: The widest policy for tool calls.

    Returns:
        0, or 1 when a turn failed.

    Raises:
        MsgbookError: The file or the settings cannot be used, or the file cannot be written.
    """
    from msgbook.cli.file_turns import require_conversation, run_turns
    from msgbook.cli.screen import Screen
    from msgbook.notebook import Document

    document = Document.read(path)
    require_conversation(document)
    document.require_writable()
    start = 0 if first is None else require_cell(document.cells, first, path)
    numbers = prompts_to_answer(document.cells, start, again=again or first is not None)
    _say_what_is_left_out(document, numbers)
    if not numbers:
        return 0
    screen = Screen(
        _VERB,
        live=sys.stdout.isatty(),
        heading=lambda cell: f"> {shown_title(cell)}  [{shown_id(cell)}]",
        summary=lambda cell, turn: "\t".join((shown_id(cell), turn["status"], shown_title(cell))),
        place=lambda cell: f"{path}/{shown_id(cell)}",
    )

    async def job(answering: FileTurns) -> int:
        changed: list[int] = []
        code = await _answer(answering, document, numbers, changed)
        _say_what_answers_other_text(document, changed)
        return code

    return run_turns(document, screen, job, approval=approval)


def prompts_to_answer(cells: Sequence[Cell], start: int, *, again: bool) -> list[int]:
    """The numbers of the prompts from `start` on that a run answers, from 0.

    Args:
        again: Also those that have an answer.
    """
    from msgbook.cli.file_turns import is_answered, is_prompt_cell

    return [
        number
        for number, cell in enumerate(cells)
        if number >= start and is_prompt_cell(cell) and (again or not is_answered(cell))
    ]


async def _answer(
    answering: FileTurns, document: Document, numbers: Sequence[int], changed: list[int]
) -> int:
    """Answer until a turn fails; `changed` is given the numbers of the cells with a new answer."""
    from msgbook.cli.file_turns import is_answered

    for done, number in enumerate(numbers, 1):
        cell = document.cells[number]
        before = cell.get("outputs")
        failure = await answering.answer(number)
        if cell.get("outputs") is not before and is_answered(cell):
            changed.append(number)
        if failure is not None:
            left = len(numbers) - done
            more = f" ({left} more not asked)" if left else ""
            where = f"{document.path}/{shown_id(cell)}"
            complain(_VERB, f"{where}: {failure.name}: {failure.message}{more}")
            return 1
    return 0


def _say_what_answers_other_text(document: Document, changed: Sequence[int]) -> None:
    """Count the answers that stand below a new one, and were not made anew themselves."""
    from msgbook.cli.file_turns import is_answered, is_prompt_cell
    from msgbook.notebook import is_excluded
    from msgbook.request.history import history_of
    from msgbook.text import counted

    cells = document.cells
    first = next((n for n in changed if not is_excluded(history_of(cells[n]))), len(cells))
    below = [
        shown_id(cell)
        for number, cell in enumerate(cells)
        if number > first and number not in changed and is_prompt_cell(cell) and is_answered(cell)
    ]
    if below:
        asked = shown_id(cells[first])
        told = f"{counted(len(below), 'answer')} to what stood above before ({_some(below)})"
        complain(_VERB, f"below {asked}, not asked again: {told}{_how_to_ask(below[0])}")


def _say_what_is_left_out(document: Document, numbers: Sequence[int]) -> None:
    """Name the cells that somebody may take for done, and that this run does not touch."""
    from msgbook.cli.file_turns import is_prompt_cell

    running, last = set(numbers), numbers[-1] if numbers else 0
    cut, code = [], []
    for number, cell in enumerate(document.cells):
        if is_prompt_cell(cell):
            if number not in running and _is_cut(cell):
                cut.append(shown_id(cell))
        elif number < last and _needs_kernel(cell):
            code.append(shown_id(cell))
    if cut:
        complain(_VERB, f"{_some(cut)}: not answered to the end{_how_to_ask(cut[0])}")
    if code:
        complain(_VERB, f"{_some(code)}: code is not run here, only in JupyterLab")
    if not numbers:
        complain(_VERB, f"{document.path}: no prompt is without an answer")


def _is_cut(cell: Cell) -> bool:
    """Whether the last turn below a prompt is not whole."""
    from msgbook.notebook import outputs_of
    from msgbook_format.turn import turn_of

    turns = [turn for turn in map(turn_of, outputs_of(cell)) if turn]
    return bool(turns) and turns[-1]["status"] != "done"


def _needs_kernel(cell: Cell) -> bool:
    """Whether it is code that shows nothing yet; what only steers the conversation counts as is."""
    from msgbook.notebook import is_own_magic, source_of

    source = source_of(cell)
    if cell.get("cell_type") != "code" or not source.strip() or cell.get("outputs"):
        return False
    return source.split()[0] == "%tool" or not is_own_magic(source)


def _some(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - _NAMED} more" if len(ids) > _NAMED else ""
    return ", ".join(ids[:_NAMED]) + more


def _how_to_ask(cell_id: str) -> str:
    """What makes answers anew from a cell on; nothing for one that `--from` cannot name."""
    return "" if cell_id == NO_ID else f"; --from {cell_id} asks again"
