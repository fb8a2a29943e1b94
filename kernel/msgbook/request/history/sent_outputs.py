"""The outputs of a cell that are sent: each one as its `history` value says. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgbook.notebook import Cell, id_of, metadata_of, names_only, outputs_text, text_output
from msgbook.request.history.kind import CellKind
from msgbook.request.history.summary import SummaryLookup, messages_as_text, source_of_text
from msgbook.request.history.turns import answer_messages
from msgbook_format.outputs import history_of_outputs
from msgbook_format.syntax import is_excluded, is_summary
from msgbook_format.turn import turn_of

SUMMARY_PREFIX = "[summary] "
_NO_SUMMARY = "(there is no summary of this output yet)"


def sent_outputs(
    cell: Cell, kind: CellKind, lookup: SummaryLookup, redact: Callable[[str], str]
) -> list[Mapping[str, Any]]:
    """Return the outputs that are sent, turns included.

    A summary takes the place of an output that asks for one.

    Args:
        redact: Removes secrets from a text that is to be summed up.
    """
    sent = []
    outputs: Any = cell.get("outputs")
    for position, history in enumerate(history_of_outputs(cell)):
        output = outputs[position]
        if not isinstance(output, dict) or is_excluded(history):
            continue
        # The error output below a failed turn repeats an error of the turn.
        if kind == "prompt" and output.get("output_type") == "error":
            continue
        if is_summary(history):
            cell_id = id_of(cell)
            key = f"{cell_id}/output {position}" if cell_id else ""
            sent.append(_summary_of(output, key, lookup, redact))
        else:
            sent.append(output)
    return sent


def _summary_of(
    output: Mapping[str, Any], key: str, lookup: SummaryLookup, redact: Callable[[str], str]
) -> Mapping[str, Any]:
    """Return the summary of an output, as an output. The full text is never sent in its place."""
    turn = turn_of(output)
    bare = (
        outputs_text([output])
        if turn is None
        else messages_as_text(answer_messages(turn, None, SummaryLookup({}), ""))
    )
    if not bare.strip() or names_only(bare):
        return text_output(bare)
    own = metadata_of(output).get("summary")
    text = lookup.find(own, source_of_text(bare), key, redact(bare), is_left_out=True)
    return text_output(SUMMARY_PREFIX + (text or _NO_SUMMARY))
