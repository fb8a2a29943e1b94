"""The prompts of a file: which have an answer, new ones, and their names on a terminal."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgbook.cli.terminal import line_of
from msgbook.notebook import Cell, Document, find_cell, new_prompt, outputs_of, source_of, title_of
from msgbook.turn import REFERENCE_STEP, turn_messages
from msgbook_format.syntax import CellRule
from msgbook_format.turn import Block, Turn, kind_of, turn_of

"""Types of blocks that msgbook writes; unknown types count as the model's."""


def is_prompt_cell(cell: Cell, cell_rule: CellRule) -> bool:
    """Return whether a model answers this cell."""
    source = source_of(cell)
    if cell.get("cell_type") != "code" or not source.strip():
        return False
    return cell_rule.is_message(source)


def is_answered(cell: Cell) -> bool:
    """Return whether a prompt has outputs that another run would remove.

    A turn that failed before the model wrote or called anything is not an answer. A turn that ended
    otherwise is an answer if it has any block of the model, even reasoning or a cut call: the user who
    stopped it has seen it.
    """
    for output in outputs_of(cell):
        turn = turn_of(output)
        if turn is None and output.get("output_type") != "error":
            return True
        if turn is not None and (turn["status"] == "done" or _is_worth_keeping(turn)):
            return True
    return False


def prompts_to_answer(
    cells: Sequence[Cell], cell_rule: CellRule, start: int, *, again: bool
) -> list[int]:
    """Return the numbers, from 0, of the prompts from `start` on that a run answers.

    Args:
        again: Include prompts that have an answer.
    """
    return [
        number
        for number, cell in enumerate(cells)
        if number >= start and is_prompt_cell(cell, cell_rule) and (again or not is_answered(cell))
    ]


def is_cut_off(cell: Cell, cell_rule: CellRule) -> bool:
    """Return whether the process that answered a prompt ended in the middle: its turn is saved as running."""
    turns = list(filter(None, map(turn_of, outputs_of(cell))))
    return is_prompt_cell(cell, cell_rule) and bool(turns) and turns[-1]["status"] == "running"


def append_prompt(document: Document, source: str, attributes: Mapping[str, str]) -> int:
    """Append a prompt, or replace an empty last cell by it, and return its number."""
    cells = document.cells
    if cells and _is_blank(cells[-1]):
        del cells[-1]
    taken = [cell.get("id") for cell in cells]
    cell_id = secrets.token_hex(4)
    while cell_id in taken:
        cell_id = secrets.token_hex(4)
    cells.append(new_prompt(source, cell_id, dict(attributes)))
    return len(cells) - 1


def _is_worth_keeping(turn: Turn) -> bool:
    """Return whether an incomplete turn is left as it is."""
    if turn["status"] == "error":
        return has_model_output(turn)
    return any(kind_of(block).is_of_step for block in _own_blocks(turn))


def has_model_output(turn: Turn) -> bool:
    """Return whether the model wrote or called anything."""
    return bool(turn_messages(_own_blocks(turn)))


def _own_blocks(turn: Turn) -> Iterator[Block]:
    # Without the calls of the prompt's own references.
    return (block for block in turn["blocks"] if block.get("step") != REFERENCE_STEP)


def _is_blank(cell: Cell) -> bool:
    return (
        cell.get("cell_type") == "code" and not source_of(cell).strip() and not cell.get("outputs")
    )


# Names of cells on a terminal.


NO_ID = "-"
"""Result of `shown_id` for a cell without an id."""

_TITLE_LENGTH = 80
"""Characters of a title, so that it stays on one line of a terminal."""


def shown_id(cell: Cell) -> str:
    """Return the id of a cell; `NO_ID` for a cell without one, as before nbformat 4.5."""
    return line_of(str(cell.get("id", NO_ID)))


def shown_title(cell: Cell) -> str:
    """Return the title of a cell, or else its first words."""
    return title_of(cell, _TITLE_LENGTH)


def require_cell(cells: list[dict[str, Any]], cell_id: str, path: Path) -> int:
    """Return the number, from 0, of the cell with an id that is or begins with `cell_id`.

    Raises:
        NoSuchCellError: There is no such cell, or more than one.
    """
    return find_cell(cells, cell_id, f"in {path}")
