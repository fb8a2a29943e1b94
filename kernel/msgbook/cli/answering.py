"""The prompts of one file, answered from top to bottom until one fails."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgbook.cli.cell_names import shown_id
from msgbook.cli.file_prompts import is_answered
from msgbook.cli.file_turns import FileTurns
from msgbook.cli.incomplete_answers import (
    describe_incomplete,
    how_to_go_on,
    is_superfluous_continue,
)
from msgbook.display.failure import Failure
from msgbook.notebook import Document
from msgbook.text import counted


async def answer_prompts(
    answering: FileTurns,
    document: Document,
    numbers: Sequence[int],
    changed: list[int],
    tell: Callable[[str, str, str], None],
) -> Failure | None:
    """Answer until a turn fails, and return its failure.

    Args:
        numbers: The prompts, from 0.
        changed: Gets the numbers of the cells with a new answer.
        tell: Gets place, words and what to do for each answer that failed or is incomplete.
    """
    for done, number in enumerate(numbers, 1):
        cell = document.cells[number]
        where = f"{document.path}/{shown_id(cell)}"
        if is_superfluous_continue(document.cells, number):
            tell(where, "nothing to continue: the answer above is complete now", "")
            continue
        before = cell.get("outputs")
        failure = await answering.answer(number)
        if cell.get("outputs") is not before and is_answered(cell):
            changed.append(number)
        advice = how_to_go_on(document, number)
        if failure is not None:
            left = len(numbers) - done
            more = f"{counted(left, 'more prompt')} not sent; " if left else ""
            tell(where, f"{failure.name}: {failure.message}", f"{more}{advice}")
            return failure
        if incomplete := describe_incomplete(cell):
            tell(where, incomplete, advice)
    return None
