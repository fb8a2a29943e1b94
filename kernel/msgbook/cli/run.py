"""`msgbook run FILE` and `msgbook run DIR`: answers prompts without JupyterLab."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from msgbook.cli.file_notebook import position_of
from msgbook.cli.file_prompts import (
    NO_ID,
    is_answered,
    is_prompt_cell,
    prompts_to_answer,
    require_cell,
    shown_id,
    shown_title,
)
from msgbook.cli.file_turns import FileTurns, require_conversation, run_turns
from msgbook.cli.incomplete_answers import (
    answer_prompts,
    append_continue,
    how_to_go_on,
    is_left_incomplete,
    is_superfluous_continue,
    run_from,
)
from msgbook.cli.screen import Screen
from msgbook.cli.terminal import CommandError, complain, line_of
from msgbook.config import ApprovalPolicy
from msgbook.host import hide_from_children
from msgbook.notebook import Cell, Document, is_own_magic, source_of
from msgbook.request.history import history_of
from msgbook.text import counted, join_first
from msgbook.turn import Purse
from msgbook_format.agents import AgentMetadata, agent_metadata_of
from msgbook_format.lazy import load_extra
from msgbook_format.syntax import is_excluded
from msgbook_format.turn import Turn

_NAMED = 10
"""Cells that a line names."""

_VERB = "run"

_OF_FOLDERS = ("--jobs", "--dask")
_OF_FILES = ("--from", "--record", "--replay")
_ATTRIBUTES = {"--from": "first"}
"""Names of options whose arguments are called otherwise."""


def run(arguments: argparse.Namespace) -> int:
    """Run the verb."""
    hide_from_children()
    path = Path(arguments.file)
    purse = None if arguments.max_cost is None else Purse(arguments.max_cost)
    if path.is_dir():
        return _run_folder(path, arguments, purse)
    if arguments.model or arguments.out:
        return _run_models(path, arguments, purse)
    _refuse(arguments, _OF_FOLDERS, "is for a folder")
    if arguments.replay:
        _refuse(
            arguments,
            ("--all", "--from", "--approval", "--max-cost"),
            "does not go with --replay, which answers the prompts that were recorded, as they were",
        )
        run_replay: Callable[[Path, Path], int] = load_extra("msgbook", "cassettes.replay")
        return run_replay(path, Path(arguments.replay))
    return run_file(
        path,
        again=arguments.all,
        first=arguments.first,
        approval=arguments.approval or "allow",
        cassette=Path(arguments.record) if arguments.record else None,
        purse=purse,
    )


def _run_folder(folder: Path, arguments: argparse.Namespace, purse: Purse | None) -> int:
    _refuse(arguments, (*_OF_FILES, "--model", "--out"), "is for one file")
    if arguments.dask is not None:
        _refuse(
            arguments, ("--jobs",), "does not go with --dask: the cluster decides how many at once"
        )
        _refuse(
            arguments,
            ("--max-cost",),
            "does not go with --dask: its workers do not know what the others spend. Set max_cost in [limits]",
        )
    run_folder: Callable[..., int] = load_extra("msgbook", "many.folder")
    return run_folder(
        folder,
        again=arguments.all,
        approval=arguments.approval or "allow",
        parallel=arguments.jobs,
        cluster=arguments.dask,
        purse=purse,
    )


def _run_models(path: Path, arguments: argparse.Namespace, purse: Purse | None) -> int:
    _refuse(arguments, (*_OF_FILES, "--all", "--dask"), "does not go with --model")
    if not arguments.model or not arguments.out:
        raise CommandError("--model and --out belong together: --model A --model B --out DIR")
    run_models: Callable[..., int] = load_extra("msgbook", "many.models")
    return run_models(
        path,
        arguments.model,
        Path(arguments.out),
        approval=arguments.approval or "allow",
        parallel=arguments.jobs,
        purse=purse,
    )


def _refuse(arguments: argparse.Namespace, options: Sequence[str], why: str) -> None:
    """Raise `CommandError` if one of the options is given."""
    for option in options:
        if getattr(arguments, _attribute(option)) not in (
            None,
            False,
        ):
            raise CommandError(f"{option} {why}: leave out {option}")


def _attribute(option: str) -> str:
    return _ATTRIBUTES.get(option, option.removeprefix("--").replace("-", "_"))


def run_file(
    path: Path,
    *,
    again: bool = False,
    first: str | None = None,
    approval: ApprovalPolicy = "allow",
    cassette: Path | None = None,
    purse: Purse | None = None,
) -> int:
    """Answer prompts of a file in document order.

    Args:
        again: Also answer prompts that have an answer.
        first: Id of the first cell; all prompts from there on are answered again.
        approval: Most permissive policy for tool calls.
        cassette: File in which the run is recorded.
        purse: What the run may spend; None for any amount.

    Returns:
        0, or 1 if a turn failed, or a prompt was not sent because nothing is left to spend.

    Raises:
        MsgbookError: The file or the settings cannot be used, or the file cannot be written.
    """
    document = Document.read(path)
    require_conversation(document)
    document.require_writable()
    start = 0 if first is None else require_cell(document.cells, first, path)
    numbers = prompts_to_answer(
        document.cells, document.cell_rule, start, again=again or first is not None
    )
    if cassette is not None and not again and first is None:
        find: Callable[[Document, Path], list[int]] = load_extra(
            "msgbook", "cassettes.find_recorded_before"
        )
        numbers = sorted({*numbers, *find(document, cassette)})
    if not numbers and (number := go_on_as_subagent(document)) is not None:
        numbers = [number]
    _report_skipped(document, numbers)
    if not numbers:
        if cassette is not None:
            complain(
                _VERB, f"{cassette} is not written; --all answers and records all prompts again"
            )
        return 0 if cassette is None else 1
    screen = run_screen(path)

    async def job(answering: FileTurns) -> int:
        changed: list[Cell] = []
        failure = await answer_prompts(answering, document, numbers, changed, _tell)
        _report_outdated(document, [position_of(document.cells, cell) for cell in changed])
        return 0 if failure is None else 1

    return run_turns(document, screen, job, approval=approval, cassette=cassette, purse=purse)


def _summary(cell: Cell, turn: Turn) -> str:
    """Return a turn as one line; the last column is the model that answered, if it is another."""
    answered = turn.get("answered_model")
    columns = [shown_id(cell), turn["status"], shown_title(cell)]
    return "\t".join([*columns, line_of(answered)] if isinstance(answered, str) else columns)


def run_screen(path: Path) -> Screen:
    """Return the display of the turns of a file."""
    return Screen(
        _VERB,
        live=sys.stdout.isatty(),
        heading=lambda cell: f"> {shown_title(cell)}  [{shown_id(cell)}]",
        summary=_summary,
        place=lambda cell: f"{path}/{shown_id(cell)}",
    )


def _tell(place: str, words: str, advice: str) -> None:
    complain(_VERB, f"{place}: {words} ({advice})" if advice else f"{place}: {words}")


def _report_outdated(document: Document, changed: Sequence[int]) -> None:
    """Name the answers below a new one that were not made again themselves."""
    cells = document.cells
    first = next((n for n in changed if not is_excluded(history_of(cells[n]))), len(cells))
    below = [
        shown_id(cell)
        for number, cell in enumerate(cells)
        if number > first
        and number not in changed
        and is_prompt_cell(cell, document.cell_rule)
        and is_answered(cell)
        and not is_superfluous_continue(cells, number)
    ]
    if below:
        are, them = ("is", "it") if len(below) == 1 else ("are", "them")
        line = (
            f"{counted(len(below), 'answer')} below {shown_id(cells[first])} {are} outdated now: "
            f"{join_first(below, _NAMED)}"
        )
        if below[0] != NO_ID:
            line += f". {run_from(document, below[0])} answers {them} again."
        complain(_VERB, line)


def _report_skipped(document: Document, numbers: Sequence[int]) -> None:
    """Name the cells without a complete result that this run skips."""
    running, last = set(numbers), numbers[-1] if numbers else 0
    cut, code = [], []
    for number, cell in enumerate(document.cells):
        if is_prompt_cell(cell, document.cell_rule):
            if number not in running and is_left_incomplete(document, number):
                cut.append(number)
        elif number < last and _needs_kernel(cell):
            code.append(shown_id(cell))
    if cut:
        names = join_first([shown_id(document.cells[number]) for number in cut], _NAMED)
        advice = how_to_go_on(document, cut[0])
        complain(_VERB, f"{names}: the answer is incomplete ({advice})")
    if code:
        complain(_VERB, f"{join_first(code, _NAMED)}: code is not run here, only in JupyterLab")
    if not numbers:
        has_prompt = any(is_prompt_cell(cell, document.cell_rule) for cell in document.cells)
        why = "every prompt has an answer" if has_prompt else "the file has no prompt"
        complain(_VERB, f"{document.path}: {why}")


def _needs_kernel(cell: Cell) -> bool:
    """Return whether a cell is code without outputs. Magics that only set something need no kernel."""
    source = source_of(cell)
    if cell.get("cell_type") != "code" or not source.strip() or cell.get("outputs"):
        return False
    return source.split()[0] == "%tool" or not is_own_magic(source)


# The conversation of a sub-agent that did not finish: a run goes on with it.


def go_on_as_subagent(document: Document) -> int | None:
    """Append `%continue` to the conversation of a sub-agent whose last answer is incomplete.

    Returns:
        The number of the new cell; None if the conversation is another one.
    """
    agent = AgentMetadata.read(agent_metadata_of(document.notebook["metadata"]))
    if agent.parent_id is None or agent.is_task_finished:
        return None
    return append_continue(document)
