"""Orphans: output cells above which no cell can have outputs, as cells of their own."""

from __future__ import annotations

from typing import Any

from msgbook_format.cells.head import read_head
from msgbook_format.outputs.code_outputs import is_output
from msgbook_format.syntax.dialect import Dialect
from msgbook_format.syntax.text_cell import TextCell
from msgbook_format.turn.output_cells.blocks import block_type


def read_orphan(head: TextCell, dialect: Dialect) -> dict[str, Any]:
    """Return the cell of an output cell above which no cell can have outputs.

    An answer is a note of the assistant. Anything else is a raw cell, which is never sent.
    """
    is_answer = (
        head.type not in ("nb", "attachment") and not is_output(head) and block_type(head) == "text"
    )
    cell = read_head(head, dialect, "markdown" if is_answer else "raw")
    if is_answer:
        cell["metadata"].setdefault("msgbook", {}).setdefault("role", "assistant")
    return cell
