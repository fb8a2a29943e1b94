"""A turn, as it is sent in later requests. Pure, and total on odd turns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgbook import messages
from msgbook.messages import Message
from msgbook.notebook.cells import is_excluded
from msgbook.request.history.kind import is_summary
from msgbook.request.history.summary import Lookup, source_of_text
from msgbook.turn.replay import results_of_calls, sound_block, text_of, turn_messages
from msgbook.turn.stopped_calls import interrupted_result
from msgbook_format.turn import Block, Turn

LEFT_OUT = "(this result was left out)"
"""Sent for a result that is excluded while its call is not."""


def answer_messages(
    turn: Turn, agent: str | None, lookup: Lookup, cell_id: str, *, reasoning: bool = False
) -> list[Message]:
    """The messages of a turn.

    Args:
        agent: Who is to read them: what another agent wrote becomes a user message that begins
            `[name] `. None reads each turn as its own.
        cell_id: Begins the keys of summaries.
        reasoning: Send the reasoning along.
    """
    blocks = list(map(sound_block, turn["blocks"]))
    if turn["status"] == "running":
        blocks = _interrupted(blocks)
    if any("history" in block for block in blocks):
        blocks = _summed_up(_included(blocks), lookup, cell_id)
    speaker: Any = turn.get("agent")
    if agent is None or not isinstance(speaker, str) or speaker in ("", agent):
        return turn_messages(blocks, reasoning=reasoning)
    text = text_of(blocks)
    return [messages.user(f"[{speaker}] {text}")] if text.strip() else []


def _interrupted(blocks: Sequence[Block]) -> list[Block]:
    """The blocks of a turn whose kernel died, as `TurnRecord` would have ended them."""
    results = results_of_calls(blocks)
    ended: list[Block] = []
    for position, block in enumerate(blocks):
        if block["type"] == "tool_call" and "approval" not in block and position not in results:
            ended.append({**block, "unfinished": True})
        elif block["type"] == "tool_result" and "status" not in block:
            content = block.get("content", "")
            if isinstance(content, str):
                block = {**block, "content": interrupted_result(content)}
            ended.append(block)
        else:
            ended.append(block)
    return ended


def _included(blocks: Sequence[Block]) -> list[Block]:
    """The blocks without those that are excluded; a call takes its result along."""
    results = results_of_calls(blocks)
    excluded = {i for i, block in enumerate(blocks) if is_excluded(block.get("history", "include"))}
    excluded |= {result for call, result in results.items() if call in excluded}
    # A call has to have a result.
    emptied = excluded & {result for call, result in results.items() if call not in excluded}
    return [
        {**block, "content": LEFT_OUT} if position in emptied else block
        for position, block in enumerate(blocks)
        if position not in excluded or position in emptied
    ]


def _summed_up(blocks: Sequence[Block], lookup: Lookup, cell_id: str) -> list[Block]:
    """The blocks with summaries in place of texts, and of the results of calls, that ask for one."""
    wanted = [i for i, block in enumerate(blocks) if is_summary(block.get("history"))]
    results = results_of_calls(blocks)
    changed = list(blocks)
    for position in wanted:
        block = blocks[position]
        target = results.get(position) if block["type"] == "tool_call" else position
        if target is None or blocks[target]["type"] not in ("text", "tool_result"):
            continue
        whole_text = "\n\n".join(_texts(block, blocks[target]))
        key = f"{cell_id}/{block.get('id', '')}" if cell_id and block.get("id") else ""
        text = lookup.find(block.get("summary"), source_of_text(whole_text), key, whole_text)
        if text is not None:
            of_text = blocks[target]["type"] == "text"
            changed[target] = (
                {**changed[target], "text": text}
                if of_text
                else {**changed[target], "content": text}
            )
    return changed


def _texts(block: Block, target: Block) -> list[str]:
    """What a block with `history=summary` covers."""
    if block["type"] == "text":
        return [block.get("text", "")]
    said = messages.tool_result("", target.get("content", ""))
    result = str(messages.without_images(said)["content"])
    if block["type"] == "tool_result":
        return [result]
    return [f"{block.get('name', '')} {block.get('arguments', '')}", result]
