"""The messages after a prompt as a turn, and back, with the record of what they do not say."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any

from msgbook_format import jsontext
from msgbook_format.extras.agent_context import leftovers
from msgbook_format.extras.agent_context.content import as_page, content_text, result_content
from msgbook_format.turn import (
    REASONINGS,
    TEXTS,
    TOOL_CALLS,
    TOOL_RESULTS,
    TURN_MIME,
    TURN_VERSION,
    Block,
    Turn,
    is_finished_call,
    kind_of,
    match_results,
    step_positions,
    turn_of,
)
from msgbook_format.typed import as_dict, as_text

_Message = dict[str, Any]


def turn_from(messages: Sequence[_Message]) -> Turn:
    """Return the turn of assistant and tool messages; each assistant message is a step.

    It is `interrupted` if the last message waits for another one: a result, or a call.
    """
    blocks: list[Any] = []
    firsts = []
    step = 0
    for message in messages:
        firsts.append(len(blocks))
        if message["role"] == "assistant":
            step += 1
            blocks += _assistant_blocks(message, step, len(blocks))
        else:
            step = max(step, 1)
            blocks.append(_result_block(message, step))
    for first, plain, message in zip(firsts, messages_of_turn(blocks), messages, strict=True):
        if kept := leftovers.find_leftovers(plain, message):
            blocks[first][leftovers.KEY] = kept
    is_done = messages[-1]["role"] == "assistant" and not messages[-1].get("tool_calls")
    return {
        "version": TURN_VERSION,
        "status": "done" if is_done else "interrupted",
        "blocks": blocks,
    }


def messages_of_turn(blocks: Sequence[Block]) -> list[_Message]:
    """Return the assistant and tool messages of a turn's blocks, step by step.

    Notices, errors, unknown blocks and calls whose arguments were cut become no message.
    """
    names: dict[int, str] = {}
    for call, result in match_results(blocks).items():
        names[result] = as_text(blocks[call].get("name"))
    messages = []
    for positions in step_positions(blocks):
        spoken: list[Any] = [blocks[i] for i in positions if _is_spoken(blocks[i])]
        if spoken:
            messages.append(_restored(_assistant_message(spoken), spoken[0], _assistant_shows))
        for position in positions:
            block: Any = blocks[position]
            if block in TOOL_RESULTS:
                plain = _tool_message(block, names.get(position))
                messages.append(_restored(plain, block, _tool_shows))
    return messages


def _restored(plain: _Message, block: Any, shows: Any) -> _Message:
    def is_shown(message: _Message) -> bool:
        return jsontext.is_same(shows(message), shows(plain))

    return leftovers.with_leftovers(plain, block.get(leftovers.KEY), is_shown)


def _is_spoken(block: Block) -> bool:
    return kind_of(block) in (REASONINGS, TEXTS) or is_finished_call(block)


def _assistant_blocks(message: _Message, step: int, position: int) -> list[Any]:
    blocks: list[Any] = []
    if message.get("reasoning_content"):
        blocks.append({"type": REASONINGS.name, "step": step, "text": message["reasoning_content"]})
    text, calls = content_text(message.get("content")), message.get("tool_calls") or []
    if text or not (blocks or calls):
        blocks.append({"type": TEXTS.name, "step": step, "text": text})
    for name, arguments, call_id in map(_call_parts, calls):
        known = f"{position + len(blocks)}\n{call_id}".encode("utf-8", "surrogatepass")
        nonce = sha256(known).hexdigest()[:8]
        call = {"id": call_id, "nonce": nonce, "name": name, "arguments": arguments}
        blocks.append({"type": TOOL_CALLS.name, "step": step, **call})
    return blocks


def _assistant_message(blocks: Sequence[Any]) -> _Message:
    texts = [as_text(block.get("text")) for block in blocks if block in TEXTS]
    reasoning = "".join(as_text(b.get("text")) for b in blocks if b in REASONINGS)
    calls = [
        {
            "id": as_text(block.get("id")),
            "type": "function",
            "function": {
                "name": as_text(block.get("name")),
                "arguments": as_text(block.get("arguments")),
            },
        }
        for block in blocks
        if block in TOOL_CALLS
    ]
    text = "\n\n".join(filter(None, texts))
    message: _Message = {"role": "assistant", "content": text if text or not calls else None}
    if reasoning:
        message["reasoning_content"] = reasoning
    if calls:
        message["tool_calls"] = calls
    return message


def _assistant_shows(message: _Message) -> list[Any]:
    calls = list(map(list, map(_call_parts, message.get("tool_calls") or [])))
    return [content_text(message.get("content")), message.get("reasoning_content") or "", calls]


def _call_parts(call: dict[str, Any]) -> Iterator[str]:
    """Return name, arguments and id of a call, as texts."""
    function = call.get("function")
    function = as_dict(function)
    arguments = function.get("arguments", "")
    if not isinstance(arguments, str):
        arguments = jsontext.dumps_spaced(as_page(arguments))
    return iter((as_text(function.get("name")), arguments, as_text(call.get("id"))))


def _result_block(message: _Message, step: int) -> Any:
    call_id = as_text(message.get("tool_call_id"))
    content = result_content(message.get("content"))
    block = {"type": TOOL_RESULTS.name, "step": step, "id": call_id, "content": content}
    is_error = message.get("isError")
    # The key of a ToolResult (seed 001). It is only read: an AgentMessage has no such key, and strict servers
    # refuse messages with keys that they do not know.
    return block | {"status": "error"} if is_error is True else block


def _tool_message(block: Any, name: str | None) -> _Message:
    message: _Message = {"role": "tool", "tool_call_id": as_text(block.get("id"))}
    if name:
        message["name"] = name
    content = block.get("content", "")
    return message | {"content": content if isinstance(content, (str, list)) else ""}


def _tool_shows(message: _Message) -> list[Any]:
    return [as_text(message.get("tool_call_id")), result_content(message.get("content"))]


# Turn records: status, model, usage, notices, approvals, durations, and all else beyond the messages.
#
# A turn record is the turn with `{"at": N}` in place of each block that the messages give, where N is
# the position of that block in the turn of the messages; other keys of a block stand beside `at`.


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
    listed = as_dict(record).get("blocks")
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
    if turn is None or not jsontext.is_same(messages_of_turn(turn["blocks"]), list(messages)):
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
