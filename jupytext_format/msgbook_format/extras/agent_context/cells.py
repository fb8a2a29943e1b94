"""One cell of a notebook as a message with the messages of its turn, and back.

`metadata` of a message are those of its cell, as in the program whose files these are. There,
`msgbook.cell` has what neither the message nor its cell's metadata say: id, outputs, the turn's
record, the type of a cell that is not a prompt.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

from msgbook_format import jsontext
from msgbook_format.cells import is_code
from msgbook_format.cells.cell import is_cell_id, may_be_derived
from msgbook_format.extras.agent_context import leftovers
from msgbook_format.extras.agent_context.content import (
    content_text,
    escaped,
    is_message,
    prompt_text,
    shown_text,
)
from msgbook_format.extras.agent_context.turns import (
    messages_of_turn,
    record_of,
    turn_from,
    turn_of_record,
)
from msgbook_format.syntax import KERNELSPEC, Dialect
from msgbook_format.turn import TURN_MIME, Turn, bundle, turn_of, without_derived
from msgbook_format.typed import as_dict, as_list, has, has_attachments, msgbook_metadata

_GHOST_BLOCK = "last_ghost_block"
"""Key of a message's metadata: the references that were sent with it, by another program."""

_INTERACTION = "mutsumi_interaction"
"""Key of a message's metadata: the messages that follow it (seed 000)."""

_IN_METADATA = "in_metadata"
"""Key of a turn whose messages were in the metadata of its prompt's message."""

_Json = dict[str, Any]


def cell_from(head: _Json, answer: Sequence[_Json], *, is_marked: bool = False) -> _Json:
    """Return the cell of a message and of the assistant and tool messages that follow it.

    Args:
        is_marked: Whether the message will be marked by `as_note` when it is written again.
    """
    metadata = deepcopy(as_dict(head.get("metadata")))
    metadata.pop("trusted", None)
    inner = [] if answer else _interaction(metadata)
    if inner or head["role"] == "assistant":
        metadata.pop(_INTERACTION, None)
    turn: Any = turn_from(answer or inner) if answer or inner else None
    if inner:
        turn[_IN_METADATA] = True
    cell = _plain_cell(head["role"], shown_text(head.get("content")), metadata, turn)
    changed = with_extras(cell, answer)
    if changed is not None and _says(changed, head):
        cell = changed
    written = as_note(_written(cell)) if is_marked else _written(cell)
    kept = leftovers.find_leftovers(written, head)
    is_told_twice = head["role"] == "assistant" and _INTERACTION in as_dict(head.get("metadata"))
    if is_told_twice and "content" in head:
        # The metadata hold what the text shows: they are dropped when the text is changed.
        kept["with"] = {**kept.get("with", {}), "content": head["content"]}
    if kept or (is_prompt(cell) and not cell["source"]):
        # An empty last cell is only saved if it came from a file.
        ours_of(cell)[leftovers.KEY] = kept
    return cell


def orphan_from(answer: Sequence[_Json]) -> _Json:
    """Return the cell of assistant and tool messages that follow no prompt: a turn of no prompt."""
    return _plain_cell("user", "", {}, turn_from(answer))


def message_from(cell: _Json) -> _Json:
    """Return the message of a cell, without those of its turn."""

    def is_shown(message: _Json) -> bool:
        content = message.get("content")
        if _was_sent_here(cell) and shown_text(content) != content_text(content):
            return False
        return _same_cells(cell_from(message, answer_from(cell)), cell)

    return leftovers.with_leftovers(
        _written(cell), msgbook_metadata(cell).get(leftovers.KEY), is_shown
    )


def answer_from(cell: _Json) -> list[_Json]:
    """Return the assistant and tool messages that follow the message of a cell."""
    turn: Any = turn_among(cell["outputs"]) if is_prompt(cell) else None
    return (
        messages_of_turn(turn["blocks"]) if turn is not None and not turn.get(_IN_METADATA) else []
    )


def is_empty(cell: _Json) -> bool:
    """Return whether this is the empty cell that a notebook editor keeps at the end."""
    return (
        cell["cell_type"] == "code"
        and not cell["outputs"]
        and leftovers.KEY not in msgbook_metadata(cell)
        and _plain_message(cell) == {"role": "user", "content": ""}
    )


def is_bare_answer(cell: _Json) -> bool:
    """Return whether a cell is a turn of no prompt, and its messages say all about it."""
    return (
        leftovers.KEY not in msgbook_metadata(cell)
        and bool(answer_from(cell))
        and _written(cell) == {"role": "user", "content": ""}
    )


def as_note(message: _Json) -> _Json:
    """Return an assistant's message, marked as a cell of its own."""
    return _with_extras_key(message, {"cell_type": "markdown", **_extras_in(message)})


def is_marked_note(message: _Json) -> bool:
    """Return whether `as_note` marked a message."""
    return message["role"] == "assistant" and "cell_type" in _extras_in(message)


def ours_of(cell: _Json) -> _Json:
    """Return `metadata.msgbook` of a cell, which is added if necessary."""
    if not isinstance(cell["metadata"].get("msgbook"), dict):
        cell["metadata"]["msgbook"] = {}
    found: _Json = cell["metadata"]["msgbook"]
    return found


def _plain_cell(role: str, text: str, metadata: _Json, turn: Any) -> _Json:
    """Return the cell of a message that says all about it."""
    if role == "user":
        return {
            "cell_type": "code",
            "execution_count": None,
            "metadata": metadata,
            "outputs": cell_outputs(turn, None) or [],
            "source": escaped(text),
        }
    if role == "system":
        metadata.setdefault("editable", False)
    cell = {"cell_type": "markdown", "metadata": metadata, "source": text}
    ours_of(cell)["role"] = role
    return cell


def _plain_message(cell: _Json) -> _Json:
    """Return the message of a cell without its extras and leftovers."""
    metadata = {key: value for key, value in cell["metadata"].items() if key != "trusted"}
    ours = dict(as_dict(metadata.pop("msgbook", None)))
    for key in (leftovers.KEY, "text"):
        ours.pop(key, None)
    content, role = cell["source"], "user"
    if cell["cell_type"] == "markdown" and ours.get("role") in ("system", "assistant"):
        role = ours.pop("role")
        if role == "system" and metadata.get("editable") is False:
            del metadata["editable"]
    elif cell["cell_type"] == "raw":
        # A raw cell is not sent.
        content = ""
    elif is_prompt(cell):
        content = prompt_text(content)
        turn: Any = turn_among(cell["outputs"])
        if _was_sent_here(cell):
            metadata.pop(_GHOST_BLOCK, None)
        if turn is not None and turn.get(_IN_METADATA):
            metadata[_INTERACTION] = messages_of_turn(turn["blocks"])
    if ours:
        metadata["msgbook"] = ours
    message: _Json = {"role": role, "content": content}
    return message | {"metadata": metadata} if metadata else message


def _written(cell: _Json) -> _Json:
    """Return the message of a cell without its leftovers."""
    plain = _plain_message(cell)
    answer = answer_from(cell)
    turn: Any = turn_among(cell.get("outputs")) if is_prompt(cell) else None
    inner = None
    if turn is not None and turn.get(_IN_METADATA):
        turn, inner = None, turn
    expected = _plain_cell(plain["role"], plain["content"], {}, inner)
    extras = extras_of(cell, expected, turn, answer)
    return _with_extras_key(plain, extras) if extras else plain


def _says(cell: _Json, head: _Json) -> bool:
    """Return whether a cell with extras of a file shows what the message says."""
    plain = _plain_message(cell)
    said: bool = plain["role"] == head["role"]
    return said and plain["content"] == shown_text(head.get("content"))


def _interaction(metadata: _Json) -> list[_Json]:
    """Return the messages that the metadata of a message hold; empty if these are none."""
    found = metadata.get(_INTERACTION)
    messages = as_list(found)
    fits = all(is_message(m, "assistant") or is_message(m, "tool") for m in messages)
    return messages if fits else []


def _was_sent_here(cell: _Json) -> bool:
    """Return whether the turn records what was sent with its prompt."""
    turn = turn_among(cell.get("outputs"))
    return turn is not None and "context" in turn


def _extras_in(message: _Json) -> _Json:
    return as_dict(msgbook_metadata(message).get(EXTRAS))


def _with_extras_key(message: _Json, extras: _Json) -> _Json:
    metadata = as_dict(message.get("metadata"))
    ours = {**as_dict(metadata.get("msgbook")), EXTRAS: extras}
    return {**message, "metadata": {**metadata, "msgbook": ours}}


def _same_cells(left: _Json, right: _Json) -> bool:
    return jsontext.is_same(_compared(left), _compared(right))


def _compared(cell: _Json) -> _Json:
    ours = {k: v for k, v in msgbook_metadata(cell).items() if k not in (leftovers.KEY, "text")}
    metadata = {k: v for k, v in cell["metadata"].items() if k not in ("trusted", "msgbook")}
    compared = {**cell, "metadata": {**metadata, **({"msgbook": ours} if ours else {})}}
    compared.pop("id", None)
    if isinstance(cell.get("outputs"), list):
        compared["outputs"] = without_derived(cell["outputs"])
    return compared


# Extras of a cell: they are in neither its message nor its metadata, but in the message's metadata.


_DIALECT = Dialect.from_metadata({"kernelspec": KERNELSPEC}, None)

EXTRAS = "cell"
"""Key of `metadata.msgbook` of a message."""

_TURN = "turn"


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
    count = cell.get("execution_count")
    return (
        has(cell, cell_type=str, source=str)
        and ("id" not in cell or (isinstance(cell["id"], str) and is_cell_id(cell["id"])))
        and (count is None or type(count) is int)
        and has_attachments(cell)
    )


# The outputs of a cell: its turn, and what else there is.


_OUTPUT = "output"
"""Key of an output that could be taken for the mark of a turn, or is not as a turn's should be."""


def turn_among(outputs: Any) -> Turn | None:
    """Return the first turn among outputs, which may be of any shape."""
    listed = as_list(outputs)
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
        elif output is None or _is_wrapped(output):
            kept.append({_OUTPUT: output})
        else:
            kept.append(output)
    return None if kept in ([], [None]) else deepcopy(kept)


def _is_wrapped(output: Any) -> bool:
    return as_dict(output).keys() == {_OUTPUT}


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
            outputs.append(deepcopy(item[_OUTPUT] if _is_wrapped(item) else item))
    has_turn = turn is None or jsontext.is_same(turn_among(outputs), turn)
    return outputs if has_turn else None


def _turn_output(turn: Any) -> dict[str, Any]:
    return {"output_type": "display_data", "data": bundle(turn), "metadata": {}}
