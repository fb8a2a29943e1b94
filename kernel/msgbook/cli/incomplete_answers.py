"""Incomplete and missing answers in a file: how a conversation goes on from one, and the advice about it."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from msgbook.cli.file_notebook import position_of
from msgbook.cli.file_prompts import NO_ID, append_prompt, is_answered, is_prompt_cell, shown_id
from msgbook.cli.file_turns import FileTurns
from msgbook.cli.terminal import CommandError
from msgbook.display.failure import Failure
from msgbook.notebook import Cell, Document, metadata_of, outputs_of, parse_prompt, source_of
from msgbook.request.history import has_incomplete_answer, history_of
from msgbook.text import counted
from msgbook_format.syntax import (
    CONTINUE_MAGIC,
    MSG_MAGIC,
    CellRule,
    is_continue,
    is_excluded,
)
from msgbook_format.turn import FINISH_REASONS, turn_of

NOT_SENT = "MaxCostReached"
"""Name of the failure of a run that may spend no more; nothing stands for it in the file."""

_CHOICES = ("agent", "model")
"""Attributes that say who answers a prompt."""


def append_continue(document: Document, attributes: Mapping[str, str] | None = None) -> int | None:
    """Append `%continue` if the last answer is incomplete, for whom its prompt is for.

    Args:
        attributes: Another `agent` or `model`.

    Returns:
        The number of the new cell; None if there is nothing to continue.
    """
    sent = [cell for cell in document.cells if not is_excluded(history_of(cell))]
    last = _last_prompt(sent, document.cell_rule)
    if last is None or not has_incomplete_answer(sent):
        return None
    cell = sent[last]
    named = {**metadata_of(cell), **parse_prompt(source_of(cell)).attributes}
    chosen = {key: named[key] for key in _CHOICES if key in named}
    return append_prompt(document, CONTINUE_MAGIC, {**chosen, **(attributes or {})})


def resume(document: Document, attributes: Mapping[str, str]) -> int | None:
    """Return the number of the prompt with which a conversation goes on.

    It is the last prompt if that has no answer, else a new `%continue`.

    Args:
        attributes: Another `agent` or `model`.

    Returns:
        The number; None if the last answer is complete, or there is no prompt.

    Raises:
        CommandError: The prompt names another agent or model itself.
    """
    last = _last_prompt(document.cells, document.cell_rule)
    if last is None or is_answered(document.cells[last]):
        return append_continue(document, attributes)
    if attributes:
        cell = document.cells[last]
        _check_choices(document, cell, attributes)
        cell["metadata"]["msgbook"] = {**metadata_of(cell), **attributes}
    return last


def how_to_go_on(document: Document, number: int) -> str:
    """Return advice about a prompt whose answer is incomplete or failed.

    Args:
        number: Position of the prompt, from 0.
    """
    cells, file = document.cells, _word(document.path)
    cell_id = shown_id(cells[number])
    if not is_answered(cells[number]):
        return f"to try again: `msgbook run {file}`"
    if cell_id == NO_ID:
        again = f"to answer all prompts again: `msgbook run {file} --all`"
    else:
        again = f"to answer again: {run_from(document, cell_id)}"
    if not has_incomplete_answer(cells[: number + 1]):
        return again
    if number == _last_prompt(cells, document.cell_rule):
        return f"to continue: `msgbook chat {file} --resume`; {again}"
    return f"to continue: a cell `{CONTINUE_MAGIC}` below it; {again}"


def run_from(document: Document, cell_id: str) -> str:
    """Return the command that answers a prompt and those below it again."""
    return f"`msgbook run {_word(document.path)} --from {_word(cell_id)}`"


def is_left_incomplete(document: Document, number: int) -> bool:
    """Return whether the last turn of a prompt is incomplete and the next prompt does not continue it."""
    cells = document.cells
    turns = [turn for turn in map(turn_of, outputs_of(cells[number])) if turn]
    if not turns or turns[-1]["status"] == "done":
        return False
    prompts = (c for c in cells[number + 1 :] if is_prompt_cell(c, document.cell_rule))
    below = next(prompts, None)
    return below is None or not is_continue(source_of(below))


def is_superfluous_continue(cells: Sequence[Cell], number: int) -> bool:
    """Return whether a cell continued an answer above that was made again and is complete now."""
    cell = cells[number]
    is_answered_continue = is_continue(source_of(cell)) and is_answered(cell)
    return is_answered_continue and not has_incomplete_answer(cells[:number])


def describe_last_answer(document: Document) -> str:
    """Return why there is nothing to resume, and what can be done instead."""
    cells = document.cells
    last = _last_prompt(cells, document.cell_rule)
    if last is None:
        why = "the file has no prompt"
    elif is_excluded(history_of(cells[last])) and is_left_incomplete(document, last):
        again = how_to_go_on(document, last)
        return (
            f"the last answer is incomplete, but history=exclude keeps it from being sent ({again})"
        )
    else:
        why = "the last answer is complete"
    return f"{why} (to send a message: `msgbook chat {_word(document.path)} --continue TEXT`)"


def describe_incomplete(cell: Cell) -> str | None:
    """Return why the answer of a prompt is incomplete though its turn did not fail; else None."""
    turn = next(filter(None, map(turn_of, outputs_of(cell))), None)
    if turn is None or turn["status"] != "incomplete":
        return None
    reason = str(turn.get("finish_reason") or "")
    return f"the answer is incomplete: {FINISH_REASONS.get(reason, reason)}"


def _check_choices(document: Document, cell: Cell, attributes: Mapping[str, str]) -> None:
    """Raise `CommandError` if a prompt's own line would win over an attribute."""
    named = parse_prompt(source_of(cell)).attributes
    for key, name in attributes.items():
        if named.get(key, name) != name:
            raise CommandError(
                f"--{key}: the {MSG_MAGIC} line of the last prompt says {key}={named[key]}. "
                f"Change it in {document.path}, or leave out --{key}."
            )


def _last_prompt(cells: Sequence[Cell], cell_rule: CellRule) -> int | None:
    numbers = reversed(range(len(cells)))
    return next((n for n in numbers if is_prompt_cell(cells[n], cell_rule)), None)


def _word(value: Path | str) -> str:
    return shlex.quote(str(value))


# The prompts of one file, answered from top to bottom until one fails.


async def answer_prompts(
    answering: FileTurns,
    document: Document,
    numbers: Sequence[int],
    changed: list[Cell],
    tell: Callable[[str, str, str], None],
) -> Failure | None:
    """Answer until a turn fails, and return its failure.

    Args:
        numbers: The prompts, from 0.
        changed: Gets the cells with a new answer.
        tell: Gets place, words and what to do for each answer that failed or is incomplete.
    """
    cells = [document.cells[number] for number in numbers]
    for done, cell in enumerate(cells, 1):
        number = position_of(document.cells, cell)
        where = f"{document.path}/{shown_id(cell)}"
        if is_superfluous_continue(document.cells, number):
            tell(where, "nothing to continue: the answer above is complete now", "")
            continue
        if answering.purse is not None and answering.purse.notice:
            left = len(numbers) - done + 1
            tell(where, answering.purse.notice, f"{counted(left, 'prompt')} not sent")
            return Failure(NOT_SENT, answering.purse.notice)
        before = cell.get("outputs")
        failure = await answering.answer(number)
        number = position_of(document.cells, cell)
        if cell.get("outputs") is not before and is_answered(cell):
            changed.append(cell)
        advice = how_to_go_on(document, number)
        if failure is not None:
            left = len(cells) - done
            more = f"{counted(left, 'more prompt')} not sent; " if left else ""
            tell(where, f"{failure.name}: {failure.message}", f"{more}{advice}")
            return failure
        if incomplete := describe_incomplete(cell):
            tell(where, incomplete, advice)
    return None
