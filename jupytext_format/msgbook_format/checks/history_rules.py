"""Rules about `history`: values that are unknown, and values that hide nothing or too much."""

from __future__ import annotations

from collections.abc import Iterator

from msgbook_format.checks.checked_text import CheckedText, LocatedCell
from msgbook_format.checks.finding import Finding
from msgbook_format.document.reader import reads
from msgbook_format.outputs.output_history import KEY, has_stale_marks
from msgbook_format.syntax.history_values import is_history
from msgbook_format.syntax.magic_lines import parse_msg_line

_SHOWN = 40
_STALE = (
    "the cell's `output_history` was made for other outputs, so none of its outputs is sent: write "
    "`history=` on the outputs, and remove `output_history` from `metadata=`"
)


def check_history(checked: CheckedText) -> Iterator[Finding]:
    """Yield values of `history` that are unknown, or have no effect."""
    for located in checked.text_cells:
        history = located.value("history")
        if history is not None and not is_history(history):
            yield Finding(located.footnote_line, "bad-history", _unknown(history))
        elif history is not None and _is_useless(located):
            message = "there is nothing here that is sent: `history` has no effect"
            yield Finding(located.footnote_line, "useless-history", message)
        msg = parse_msg_line(located.cell.body) if located.role == "prompt" else None
        given = msg.attributes.get("history") if msg else None
        if given is not None and not is_history(given):
            yield Finding(located.body_line, "bad-history", _unknown(given))


def check_output_history(checked: CheckedText) -> Iterator[Finding]:
    """Yield cells whose outputs are not sent because their `output_history` is that of other outputs."""
    # Only then the notebook is needed, which takes as long as all rules together.
    if KEY not in checked.text:
        return
    cells = reads(checked.text)["cells"]
    for checked_cell, cell in zip(checked.cells, cells, strict=True):
        if has_stale_marks(cell):
            line = checked_cell.head.footnote_line
            yield Finding(line, "stale-output-history", _STALE)


def _unknown(history: str) -> str:
    found = f"`{history[:_SHOWN]}`" if history.strip() else "nothing"
    return f"expected include, exclude or summary, found {found}: nothing of it is sent"


def _is_useless(located: LocatedCell) -> bool:
    if located.role == "output":
        return located.value("output") == "none"
    return located.role in ("attachment", "raw")
