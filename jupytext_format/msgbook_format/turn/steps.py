"""The order in a turn's blocks: its steps, the result of each call, and the answer's text.

Pure. Blocks may come from any file, so only their `type` can be relied on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence

from msgbook_format.turn.model import Block


def blocks_of_type(blocks: Iterable[Block], *types: str) -> list[Block]:
    return [block for block in blocks if block["type"] in types]


def answer_text(blocks: Iterable[Block]) -> str:
    """Return the texts of the blocks as paragraphs."""
    texts = (block.get("text") for block in blocks_of_type(blocks, "text"))
    return "\n\n".join(text for text in texts if isinstance(text, str) and text)


def step_positions(blocks: Sequence[Block]) -> list[list[int]]:
    """Return the positions of the blocks of each step, in order of the steps' first blocks."""
    steps: dict[object, list[int]] = {}
    for position, block in enumerate(blocks):
        steps.setdefault(_step(block), []).append(position)
    return list(steps.values())


def is_finished_call(block: Block) -> bool:
    """Return whether a block is a tool call whose arguments arrived completely."""
    return block["type"] == "tool_call" and not block.get("unfinished")


def match_results(blocks: Sequence[Block]) -> dict[int, int]:
    """Return the position of each finished call's result, by the position of the call.

    A step may reuse the ids of another step. A result in the call's own step therefore comes first.
    """
    calls = [i for i, block in enumerate(blocks) if is_finished_call(block)]
    pairs: dict[int, int] = {}
    if not calls:
        return pairs
    unmatched = [i for i, block in enumerate(blocks) if block["type"] == "tool_result"]
    for in_same_step in (True, False):
        waiting = defaultdict(list)
        for position in reversed(unmatched):
            waiting[_key(blocks[position], in_same_step)].append(position)
        for call in calls:
            results = waiting[_key(blocks[call], in_same_step)]
            if call not in pairs and results:
                pairs[call] = results.pop()
        matched = set(pairs.values())
        unmatched = [position for position in unmatched if position not in matched]
    return pairs


def _key(block: Block, in_same_step: bool) -> Hashable:
    found = block.get("id")
    call_id = found if isinstance(found, str) else None
    return (_step(block), call_id) if in_same_step else call_id


def _step(block: Block) -> int:
    step = block.get("step")
    return step if isinstance(step, int) else 0
