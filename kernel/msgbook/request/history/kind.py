"""The kind of a cell and its `history` value: whether the cell is sent, and in which form. Pure."""

from __future__ import annotations

from typing import Any, Literal

from msgbook.notebook import (
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
    """Return the kind of a cell on the msgbook kernel; a cell of kind `none` is never sent."""
    if cell.get("cell_type") == "markdown":
        return "note"
    if cell.get("cell_type") != "code":
        return "none"
    source = source_of(cell)
    if is_continue(source) or is_prompt(source, is_magic):
        return "prompt"
    return "none" if is_own_magic(source) else "code"


def is_continue(source: str) -> bool:
    """Return whether a cell asks for the rest of the answer above."""
    return source.strip() == CONTINUE_MAGIC


def history_of(cell: Cell) -> Any:
    """Return the `history` value of a cell, of any type: from its `%%msg` line, or from its metadata."""
    value = metadata_of(cell).get("history", "include")
    if cell.get("cell_type") != "code":
        return value
    source = source_of(cell)
    # Most prompts have no such line, and parsing takes longer.
    return parse_prompt(source).read_history(value) if MSG_MAGIC in source else value
