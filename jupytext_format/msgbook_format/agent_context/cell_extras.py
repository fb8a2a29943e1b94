"""Extras of a cell: they are in neither its message nor its metadata, but in the message's metadata."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

from msgbook_format import jsontext
from msgbook_format.agent_context.outputs import cell_outputs, kept_outputs, turn_among
from msgbook_format.agent_context.turn_records import record_of, turn_of_record
from msgbook_format.cells import is_code
from msgbook_format.cells.ids import is_cell_id, may_be_derived
from msgbook_format.metadata import msgbook_metadata
from msgbook_format.syntax import KERNELSPEC, Dialect

_DIALECT = Dialect.from_metadata({"kernelspec": KERNELSPEC}, None)

EXTRAS = "cell"
"""Key of `metadata.msgbook` of a message."""

_TURN = "turn"
_Json = dict[str, Any]


def extras_of(cell: _Json, expected: _Json, turn: Any, answer: Sequence[_Json]) -> _Json:
    """Return how a cell differs from the cell `expected` that its messages alone give.

    Args:
        turn: The cell's turn, which `answer` is written as; None if it has none.
    """
    extras = {
        key: value
        for key, value in cell.items()
        if key not in ("id", "metadata")
        and not (key == "outputs" and cell["cell_type"] == "code")
        and not (key in expected and jsontext.is_same(expected[key], value))
    }
    if isinstance(cell.get("id"), str) and not may_be_derived(cell["id"]):
        extras["id"] = cell["id"]
    if cell["cell_type"] == "code":
        record = record_of(turn, answer) if turn is not None else None
        if record is not None:
            extras[_TURN] = record
        outputs = kept_outputs(cell["outputs"], turn)
        if outputs is not None and not jsontext.is_same(cell["outputs"], expected.get("outputs")):
            extras["outputs"] = outputs
    return extras


def with_extras(cell: _Json, answer: Sequence[_Json]) -> _Json | None:
    """Return a cell with the extras that `metadata.msgbook.cell` holds; not in place.

    Returns:
        None if there are none, or they do not fit. They may be of any shape.
    """
    extras = msgbook_metadata(cell).get(EXTRAS)
    if not isinstance(extras, dict) or "metadata" in extras:
        return None
    fields = {key: value for key, value in extras.items() if key not in (_TURN, "outputs")}
    changed = {**cell, "metadata": deepcopy(cell["metadata"]), **deepcopy(fields)}
    del changed["metadata"]["msgbook"][EXTRAS]
    if not changed["metadata"]["msgbook"]:
        del changed["metadata"]["msgbook"]
    turn = turn_among(cell.get("outputs"))
    if _TURN in extras:
        turn = turn_of_record(extras[_TURN], answer)
        if turn is None:
            return None
    if changed["cell_type"] == "code":
        outputs = cell_outputs(turn, extras.get("outputs"))
        if outputs is None:
            return None
        changed["outputs"] = outputs
        if turn is None and is_prompt(changed) and turn_among(outputs) is not None:
            return None
    elif turn is not None:
        return None
    else:
        for key in {"outputs", "execution_count"} - extras.keys():
            changed.pop(key, None)
        if "outputs" in extras:
            changed["outputs"] = deepcopy(extras["outputs"])
    return changed if _is_cell(changed) else None


def is_prompt(cell: _Json) -> bool:
    """Return whether a cell is sent as a user's message with a turn below it."""
    if cell["cell_type"] != "code" or not isinstance(cell["source"], str):
        return False
    return not is_code(cell["source"], _DIALECT)


def _is_cell(cell: _Json) -> bool:
    count, attachments = cell.get("execution_count"), cell.get("attachments", {})
    return (
        isinstance(cell["cell_type"], str)
        and isinstance(cell["source"], str)
        and ("id" not in cell or (isinstance(cell["id"], str) and is_cell_id(cell["id"])))
        and (count is None or type(count) is int)
        and isinstance(attachments, dict)
        and all(isinstance(bundle, dict) for bundle in attachments.values())
    )
