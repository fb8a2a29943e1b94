"""Turn records: status, model, usage, notices, approvals, durations, and all else beyond the messages.

A turn record is the turn with `{"at": N}` in place of each block that the messages give, where N is
the position of that block in the turn of the messages; other keys of a block stand beside `at`.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from typing import Any

from msgbook_format import jsontext
from msgbook_format.agent_context.turns import turn_from, turn_messages
from msgbook_format.turn import TURN_MIME, Turn, turn_of

_CARRIED = ("type", "text", "content", "id", "name", "arguments")
"""Keys of a block that a message holds."""


def record_of(turn: Turn, messages: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """Return the record of a turn that is written as these messages; None if they say it all."""
    plain: Any = turn_from(messages) if messages else None
    if plain is not None and jsontext.is_same(turn, plain):
        return None
    given = plain["blocks"] if plain is not None else []
    waiting: dict[str, deque[int]] = defaultdict(deque)
    for position, block in enumerate(given):
        waiting[_key(block)].append(position)
    blocks = []
    for block in turn["blocks"]:
        found = waiting.get(_key(block))
        if found and given[found[0]].keys() <= block.keys():
            blocks.append(_reference(block, found[0], given[found.popleft()]))
        else:
            blocks.append(dict(block))
    return {**turn, "blocks": blocks}


def turn_of_record(record: Any, messages: Sequence[dict[str, Any]]) -> Turn | None:
    """Return the turn of a record, which may be of any shape.

    Returns:
        None if it is not a turn that is written as these messages.
    """
    listed = record.get("blocks") if isinstance(record, dict) else None
    if not isinstance(listed, list):
        return None
    given = turn_from(messages)["blocks"] if messages else []
    blocks = []
    for entry in listed:
        position = entry.get("at") if isinstance(entry, dict) and "type" not in entry else None
        if type(position) is int and 0 <= position < len(given):
            entry = {**given[position], **{k: v for k, v in entry.items() if k != "at"}}
        blocks.append(entry)
    turn = turn_of({"data": {TURN_MIME: {**record, "blocks": blocks}}})
    if turn is None or not jsontext.is_same(turn_messages(turn["blocks"]), list(messages)):
        return None
    return turn


def _reference(block: Any, position: int, given: Any) -> dict[str, Any]:
    others = {
        key: value
        for key, value in block.items()
        if key not in given or not jsontext.is_same(given[key], value)
    }
    return {"at": position, **others}


def _key(block: Any) -> str:
    return jsontext.dumps([block.get(key) for key in _CARRIED])
