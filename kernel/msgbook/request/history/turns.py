"""The messages of a turn in later requests, in the words of the agent that reads them.

Pure; accepts malformed turns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgbook import messages
from msgbook.messages import Message, content_text
from msgbook.request.history.summary import SummaryLookup, source_of_text
from msgbook.text import repair_surrogates
from msgbook.turn import interrupted_result, repair_block, turn_messages, without_unseen
from msgbook_format.syntax import is_excluded, is_summary
from msgbook_format.turn import Block, Turn, answer_text, match_results

LEFT_OUT = "(this result was left out)"
"""Content of a result that is excluded while its call is not."""


def answer_messages(
    turn: Turn,
    agent: str | None,
    lookup: SummaryLookup,
    cell_id: str,
    *,
    reasoning_of: str | None = None,
) -> list[Message]:
    """Return the messages of a turn.

    Args:
        agent: The agent that reads them. The turn of another agent becomes a user message that
            begins `[name] `. With None each turn is read as the reader's own.
        cell_id: The beginning of the keys of summaries.
        reasoning_of: Provider that is sent the reasoning of its own turns, and of turns that name none. No
            server can use another one's, and the user chose to whom it goes.
    """
    blocks = list(map(repair_block, turn["blocks"]))
    if turn["status"] == "running":
        blocks = _interrupted(blocks)
    if any("history" in block for block in blocks):
        blocks = _summarized(_included(blocks), lookup, cell_id)
    author: Any = turn.get("agent")
    if agent is None or not isinstance(author, str) or author in ("", agent):
        if reasoning_of is None or turn.get("provider") not in (None, reasoning_of):
            return turn_messages(blocks)
        return turn_messages(without_unseen(blocks), reasoning=True)
    text = answer_text(blocks)
    return [messages.user(f"[{author}] {text}")] if text.strip() else []


def _interrupted(blocks: Sequence[Block]) -> list[Block]:
    """Return the blocks of a turn whose kernel died, ended as `TurnRecord` would have ended them."""
    results = match_results(blocks)
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
    """Return the blocks without those that are excluded; the result of an excluded call goes too."""
    results = match_results(blocks)
    excluded = {i for i, block in enumerate(blocks) if is_excluded(block.get("history", "include"))}
    excluded |= {result for call, result in results.items() if call in excluded}
    # A call has to have a result.
    emptied = excluded & {result for call, result in results.items() if call not in excluded}
    return [
        {**block, "content": LEFT_OUT} if position in emptied else block
        for position, block in enumerate(blocks)
        if position not in excluded or position in emptied
    ]


def _summarized(blocks: Sequence[Block], lookup: SummaryLookup, cell_id: str) -> list[Block]:
    """Return the blocks with a summary for each text or result of a call with `history=summary`."""
    results = match_results(blocks)
    changed = list(blocks)
    for position, block in enumerate(blocks):
        if not is_summary(block.get("history")):
            continue
        target = results.get(position) if block["type"] == "tool_call" else position
        if target is None or blocks[target]["type"] not in ("text", "tool_result"):
            continue
        full_text = "\n\n".join(_covered_texts(block, blocks[target]))
        key = f"{cell_id}/{block.get('id', '')}" if cell_id and block.get("id") else ""
        text = lookup.find(block.get("summary"), source_of_text(full_text), key, full_text)
        if text is None:
            continue
        if blocks[target]["type"] == "text":
            changed[target] = {**changed[target], "text": text}
        else:
            changed[target] = {**changed[target], "content": text}
    return changed


def _covered_texts(block: Block, target: Block) -> list[str]:
    """Return the texts that the summary of a block covers."""
    if block["type"] == "text":
        return [block.get("text", "")]
    result = repair_surrogates(content_text(target.get("content", "")))
    if block["type"] == "tool_result":
        return [result]
    return [f"{block.get('name', '')} {block.get('arguments', '')}", result]
