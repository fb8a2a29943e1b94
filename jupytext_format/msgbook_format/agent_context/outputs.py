"""The outputs of a cell: its turn, and what else there is."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from msgbook_format import jsontext
from msgbook_format.turn import TURN_MIME, Turn, bundle, turn_of, without_derived

_Json = dict[str, Any]

_TURN = "turn"
"""Key of what a turn's output has beyond the turn, in place of that output."""


def turn_among(outputs: Any) -> Turn | None:
    """Return the first turn among outputs, which may be of any shape."""
    listed = outputs if isinstance(outputs, list) else []
    return next((turn for turn in map(turn_of, listed) if turn is not None), None)


def kept_outputs(outputs: list[Any], turn: Turn | None) -> list[Any] | None:
    """Return the outputs without the turn, whose place is marked; None if there are no others."""
    kept: list[Any] = []
    for output in without_derived(outputs):
        if turn is not None and turn_of(output) is turn:
            kept.append(_beyond(output, turn))
            turn = None
        else:
            kept.append(output)
    return None if kept in ([], [None]) else deepcopy(kept)


def cell_outputs(turn: Turn | None, kept: Any) -> list[Any] | None:
    """Return the outputs of a cell; None if there are no such outputs.

    Args:
        kept: As from `kept_outputs`, but from a file, so of any shape.
    """
    if kept is None:
        return [_turn_output(turn)] if turn is not None else []
    if not isinstance(kept, list):
        return None
    outputs: list[Any] = []
    for item in kept:
        if item is None or (isinstance(item, dict) and item.keys() == {_TURN}):
            if turn is None:
                return None
            outputs.append(_with_beyond(_turn_output(turn), item))
            turn = None
        elif _is_output(item) and (turn is None or turn_of(item) is None):
            outputs.append(_whole(item))
        else:
            return None
    return outputs if turn is None else None


def _turn_output(turn: Turn) -> _Json:
    return {"output_type": "display_data", "data": bundle(turn), "metadata": {}}


def _beyond(output: _Json, turn: Turn) -> Any:
    plain = _turn_output(turn)
    others = {k: v for k, v in output.items() if k != "data" and not _has(plain, k, v)}
    data = {k: v for k, v in output["data"].items() if not _has(plain["data"], k, v)}
    return {_TURN: {**others, "data": data}} if others or data else None


def _with_beyond(output: _Json, item: Any) -> _Json:
    others = item[_TURN] if isinstance(item, dict) else None
    if not isinstance(others, dict):
        return output
    data = others.get("data")
    data = data if isinstance(data, dict) and TURN_MIME not in data else {}
    changed = {**output, **others, "data": {**output["data"], **data}}
    return changed if _is_output(changed) else output


def _has(mapping: _Json, key: str, value: Any) -> bool:
    return key in mapping and jsontext.is_same(mapping[key], value)


def _whole(output: _Json) -> _Json:
    turn = turn_of(output)
    return output if turn is None else {**output, "data": {**output["data"], **bundle(turn)}}


def _is_output(output: Any) -> bool:
    """Return whether an output has what nbformat requires of its type."""
    if not isinstance(output, dict):
        return False
    match output.get("output_type"):
        case "stream":
            return isinstance(output.get("name"), str) and isinstance(
                output.get("text"), (str, list)
            )
        case "error":
            texts = isinstance(output.get("ename"), str) and isinstance(output.get("evalue"), str)
            return texts and isinstance(output.get("traceback"), list)
        case "display_data" | "execute_result":
            return isinstance(output.get("data"), dict) and isinstance(output.get("metadata"), dict)
        case _:
            return False
