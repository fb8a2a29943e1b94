"""The `history` of single outputs.

Display data hold it themselves, as `metadata.msgbook.history`. Streams, errors and unknown outputs
have no metadata. Their values are `metadata.msgbook.output_history` of the cell, by position:

    {"0": {"history": "none", "sha256": "..."}}

The digest is that of the output. Such marks are current only while every one of them names an output
that is still the same. Programs move, join, split and replace outputs. Nobody then knows where the
hidden text is, so no output of the cell is sent.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any

from msgbook_format import jsontext
from msgbook_format.syntax.text_cell import is_restricted, stricter_history
from msgbook_format.turn.model import turn_of
from msgbook_format.typed import as_dict, has, msgbook_metadata

KEY = "output_history"
ABSENT = object()
"""Stands for a missing value of `KEY`."""

_INDEX = re.compile(r"0|[1-9][0-9]{0,8}")
_NOWHERE = 10**9
"""A position that no output has: those of keys have at most nine digits."""
_HEAD, _MARKS = "head", "marks"

Marks = dict[int, str]
"""Values by position among the outputs of a cell."""


def history_of_outputs(cell: Mapping[str, Any]) -> list[Any]:
    """Return the effective `history` value of each output of a cell, aside from that of the cell.

    Accepts malformed cells. If the cell's marks are not current, every output but turns is excluded.
    """
    outputs = cell.get("outputs")
    if not isinstance(outputs, list) or not outputs:
        return []
    marks = _current_marks(msgbook_metadata(cell).get(KEY, ABSENT), outputs)
    values = []
    for index, output in enumerate(outputs):
        value = msgbook_metadata(as_dict(output)).get("history", "include")
        if marks is not None:
            value = stricter_history(value, marks.get(index, "include"))
        elif turn_of(output) is None:
            value = "exclude"
        values.append(value)
    return values


def has_stale_marks(cell: Mapping[str, Any]) -> bool:
    """Return whether a cell has outputs that are not sent because its marks fit other ones."""
    value, outputs = msgbook_metadata(cell).get(KEY, ABSENT), cell.get("outputs")
    if value is ABSENT or not isinstance(outputs, list):
        return False
    return _current_marks(value, outputs) is None and any(
        turn_of(output) is None for output in outputs
    )


def mark_output(outputs: Sequence[Any], index: int, history: str, marks: Marks) -> None:
    """Give an output a `history` value, in place: in its own metadata, else in `marks`.

    Of two values, the stricter one counts.
    """
    output = outputs[index]
    if has_own_history(output):
        msgbook = msgbook_metadata(output)
        history = stricter_history(msgbook.get("history", history), history)
        output["metadata"]["msgbook"] = {**msgbook, "history": history}
    else:
        marks[index] = stricter_history(marks.get(index, history), history)


def has_own_history(output: Any) -> bool:
    """Return whether an output has metadata for its `history`."""
    kinds = ("display_data", "execute_result")
    return has(output, metadata=dict) and output.get("output_type") in kinds


def split_own_history(metadata: dict[str, Any]) -> tuple[str | None, dict[str, Any]]:
    """Return the `history` in the metadata of an output, and the metadata without it; not in place."""
    history = msgbook_metadata({"metadata": metadata}).get("history")
    if not isinstance(history, str):
        return None, metadata
    msgbook = {key: value for key, value in metadata["msgbook"].items() if key != "history"}
    rest = {**metadata, "msgbook": msgbook}
    if not msgbook:
        del rest["msgbook"]
    return history, rest


def split_marks(value: Any, outputs: Sequence[Any]) -> tuple[Any, Marks]:
    """Return what the head of a cell has to hold of `output_history`, and the marks of its outputs.

    The head holds nothing (`ABSENT`) if all marks are current: then each output has its own.
    """
    if _is_canonical(value, outputs):
        return ABSENT, {int(index): mark["history"] for index, mark in value.items()}
    if isinstance(value, dict) and value.keys() == {_HEAD, _MARKS}:
        if _is_canonical(value[_MARKS], outputs):
            return value[_HEAD], split_marks(value[_MARKS], outputs)[1]
    elif isinstance(value, dict) and value.keys() == {_HEAD} and _is_taken(value[_HEAD], outputs):
        return value[_HEAD], {}
    return value, {}


def join_marks(head: Any, marks: Marks, outputs: Sequence[Any]) -> Any:
    """Return the `output_history` of a cell whose head and outputs hold these; inverse of `split_marks`.

    A value in the head that could be confused with marks of the outputs is wrapped. It never counts.
    """
    made = {
        str(index): {"history": history, "sha256": digest_of(outputs[index])}
        for index, history in marks.items()
    }
    if head is ABSENT:
        return made or ABSENT
    if made:
        return {_HEAD: head, _MARKS: made}
    return {_HEAD: head} if _is_taken(head, outputs) else head


def marks_of(cell: Mapping[str, Any]) -> Marks:
    """Return the marks that the outputs of a regular code cell hold in a text."""
    return split_marks(msgbook_metadata(cell).get(KEY, ABSENT), cell["outputs"])[1]


def without_marks(metadata: dict[str, Any], outputs: Any) -> dict[str, Any]:
    """Return metadata of a cell without the marks that its outputs hold in a text; not in place."""
    msgbook = msgbook_metadata({"metadata": metadata})
    if KEY not in msgbook or not isinstance(outputs, list):
        return metadata
    head, _ = split_marks(msgbook[KEY], outputs)
    rest = {key: value for key, value in msgbook.items() if key != KEY}
    if head is not ABSENT:
        rest[KEY] = head
    if rest:
        return {**metadata, "msgbook": rest}
    return {key: value for key, value in metadata.items() if key != "msgbook"}


def put_marks(cell: dict[str, Any], marks: Marks) -> None:
    """Put the marks that outputs hold in a text into a cell that has these outputs, in place."""
    head = msgbook_metadata(cell).get(KEY, ABSENT)
    joined = join_marks(head, marks, cell["outputs"])
    if joined is not ABSENT:
        cell["metadata"].setdefault("msgbook", {})[KEY] = joined


def first_outputs(cell: dict[str, Any], count: int) -> dict[str, Any]:
    """Return a cell with its first outputs alone, and with their marks; not in place."""
    earlier = {**cell, "outputs": cell["outputs"][:count]}
    value = msgbook_metadata(cell).get(KEY, ABSENT)
    if _is_canonical(value, cell["outputs"]):
        kept = {index: mark for index, mark in value.items() if int(index) < count}
        msgbook = {**cell["metadata"]["msgbook"], KEY: kept}
        if not kept:
            del msgbook[KEY]
        earlier["metadata"] = {**cell["metadata"], "msgbook": msgbook}
    return earlier


def digest_of(output: Any) -> str:
    """Return the SHA-256 of an output as JSON, in hexadecimal. Lists of lines count as their text."""
    if has(output, text=list):
        output = {**output, "text": "".join(map(str, output["text"]))}
    return sha256(jsontext.dumps(output).encode()).hexdigest()


def _current_marks(value: Any, outputs: Sequence[Any]) -> dict[int, Any] | None:
    """Return the values by position; None if one of them does not fit its output.

    A plain value (`{"0": "none"}`), as a person writes it, fits any output at its position. A value with a
    digest counts for all outputs with that digest that have no value.
    """
    if value is ABSENT:
        return {}
    if not isinstance(value, dict):
        return None
    marks: dict[int, Any] = {}
    hidden: dict[str, Any] = {}
    for key, mark in value.items():
        history = mark.get("history") if isinstance(mark, dict) else mark
        index = _index(key)
        if not is_restricted(history):
            marks[index] = history
            continue
        if index >= len(outputs):
            return None
        if isinstance(mark, dict):
            digest = digest_of(outputs[index])
            if mark.get("sha256") != digest:
                return None
            hidden[digest] = stricter_history(hidden.get(digest, history), history)
        marks[index] = history
    for index, output in enumerate(outputs if hidden else ()):
        marks.setdefault(index, hidden.get(digest_of(output), "include"))
    return marks


def _is_canonical(value: Any, outputs: Sequence[Any]) -> bool:
    # As `join_marks` writes the marks of outputs alone.
    return isinstance(value, dict) and bool(value) and all(_fits(value.items(), outputs))


def _fits(items: Iterable[tuple[Any, Any]], outputs: Sequence[Any]) -> Iterable[bool]:
    for key, mark in items:
        index = _index(key)
        yield (
            index < len(outputs)
            and has(mark, history=str)
            and mark.keys() == {"history", "sha256"}
            and not has_own_history(outputs[index])
            and mark["sha256"] == digest_of(outputs[index])
        )


def _index(key: Any) -> int:
    # No output has the position of any other key.
    return int(key) if isinstance(key, str) and _INDEX.fullmatch(key) else _NOWHERE


def _is_taken(value: Any, outputs: Sequence[Any]) -> bool:
    # `split_marks` would read it as more than a value of the head.
    return split_marks(value, outputs)[0] is not value
