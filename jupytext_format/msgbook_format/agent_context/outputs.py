"""The outputs of a cell: its turn, and what else there is."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from msgbook_format import jsontext
from msgbook_format.turn import TURN_MIME, Turn, bundle, turn_of, without_derived

_OUTPUT = "output"
"""Key of an output that could be taken for the mark of a turn, or is not as a turn's should be."""


def turn_among(outputs: Any) -> Turn | None:
    """Return the first turn among outputs, which may be of any shape."""
    listed = outputs if isinstance(outputs, list) else []
    return next((turn for turn in map(turn_of, listed) if turn is not None), None)


def kept_outputs(outputs: list[Any], turn: Turn | None) -> list[Any] | None:
    """Return the outputs with null in place of the turn; None if there are no others."""
    plain = None
    if turn is not None:
        plain = {"output_type": "display_data", "data": {TURN_MIME: turn}, "metadata": {}}
    kept: list[Any] = []
    for output in without_derived(outputs):
        if plain is not None and turn_of(output) is turn:
            kept.append(None if jsontext.is_same(output, plain) else {_OUTPUT: output})
            plain = None
        elif output is None or (isinstance(output, dict) and output.keys() == {_OUTPUT}):
            kept.append({_OUTPUT: output})
        else:
            kept.append(output)
    return None if kept in ([], [None]) else deepcopy(kept)


def cell_outputs(turn: Turn | None, kept: Any) -> list[Any] | None:
    """Return the outputs of a cell; None if they have no place for the turn.

    Args:
        kept: As from `kept_outputs`, but from a file, so of any shape.
    """
    if kept is None:
        return [_turn_output(turn)] if turn is not None else []
    if not isinstance(kept, list):
        return None
    outputs: list[Any] = []
    for item in kept:
        if item is None and turn is None:
            return None
        if item is None:
            outputs.append(_turn_output(turn))
        else:
            is_wrapped = isinstance(item, dict) and item.keys() == {_OUTPUT}
            outputs.append(deepcopy(item[_OUTPUT] if is_wrapped else item))
    has_turn = turn is None or jsontext.is_same(turn_among(outputs), turn)
    return outputs if has_turn else None


def _turn_output(turn: Any) -> dict[str, Any]:
    return {"output_type": "display_data", "data": bundle(turn), "metadata": {}}
