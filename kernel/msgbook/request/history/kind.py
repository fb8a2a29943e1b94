"""What a cell is to the history: whether it is sent, and in which form. Pure."""

from __future__ import annotations

from typing import Any, Literal

from msgbook.notebook.cells import (
    Cell,
    IsMagic,
    is_own_magic,
    is_prompt,
    metadata_of,
    parse_prompt,
    source_of,
)
from msgbook.notebook.magics_table import CONTINUE_MAGIC
from msgbook_format.syntax import MSG_MAGIC

CellKind = Literal["prompt", "code", "note", "none"]


def kind_of(cell: Cell, is_magic: IsMagic) -> CellKind:
    """What a cell is on the msgbook kernel; `none` is no part of the conversation."""
    if cell.get("cell_type") == "markdown":
        return "note"
    if cell.get("cell_type") != "code":
        return "none"
    source = source_of(cell)
    if is_continue(source) or is_prompt(source, is_magic):
        return "prompt"
    return "none" if is_own_magic(source) else "code"


def is_continue(source: str) -> bool:
    """Whether a cell asks for the rest of the answer above."""
    return source.strip() == CONTINUE_MAGIC


def history_of(cell: Cell) -> Any:
    """The `history` of a cell, of any type: its `%%msg` line's, else its metadata's."""
    said = metadata_of(cell).get("history", "include")
    if cell.get("cell_type") != "code":
        return said
    source = source_of(cell)
    # Most prompts have no such line, and to take one apart takes longer.
    return parse_prompt(source).attributes.get("history", said) if MSG_MAGIC in source else said


def is_summary(history: Any) -> bool:
    """Whether a `history` value asks for a summary in place of the whole."""
    return isinstance(history, str) and history.strip().lower() == "summary"
