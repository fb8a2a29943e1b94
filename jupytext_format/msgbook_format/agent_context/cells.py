"""One cell of a notebook as a message with the messages of its turn, and back.

`metadata` of a message are those of its cell, as in the program whose files these are. There,
`msgbook.cell` has what neither the message nor its cell's metadata say: id, outputs, the turn's
record, the type of a cell that is no prompt.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

from msgbook_format import jsontext
from msgbook_format.agent_context import leftovers
from msgbook_format.agent_context.cell_extras import EXTRAS, extras_of, is_prompt, with_extras
from msgbook_format.agent_context.content import content_text, escaped, prompt_text, shown_text
from msgbook_format.agent_context.outputs import cell_outputs, turn_among
from msgbook_format.agent_context.shape import is_message
from msgbook_format.agent_context.turns import turn_from, turn_messages
from msgbook_format.metadata import as_dict, msgbook_metadata
from msgbook_format.turn import without_derived

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
    return turn_messages(turn["blocks"]) if turn is not None and not turn.get(_IN_METADATA) else []


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
            metadata[_INTERACTION] = turn_messages(turn["blocks"])
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
    messages = found if isinstance(found, list) else []
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
