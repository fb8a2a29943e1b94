"""Words about a turn: the model that answered, and reasoning that the server keeps to itself.

A turn may come from any file, with values of any type. The page has the same words (`wording.ts`);
tests/format/turn/fixtures/turn_wording.json tests both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgbook_format.turn.agent_rows import as_count

HIDDEN_REASONING = "The model reasoned, but the server does not return its reasoning"


def model_words(turn: Mapping[str, Any]) -> str:
    """Return the model of a turn, with the one that answered if it is another; may be empty."""
    asked, answered = _text(turn.get("model")), _text(turn.get("answered_model"))
    if not asked or answered in ("", asked):
        return asked or answered
    return f"{asked} (answered by {answered})"


def is_hidden_reasoning(block: Mapping[str, Any]) -> bool:
    """Return whether a block is reasoning of which the server tells no word."""
    text, extra = block.get("text", ""), block.get("extra")
    return (
        block["type"] == "reasoning"
        and isinstance(text, str)
        and not text.strip()
        and isinstance(extra, dict)
        and isinstance(extra.get("item"), dict)
    )


def hidden_reasoning_lines(turn: Mapping[str, Any]) -> dict[int, str]:
    """Return one line about each hidden reasoning of a turn, by its position in the blocks.

    The last line has the turn's reasoning tokens, once the turn has ended.
    """
    blocks: Sequence[Mapping[str, Any]] = turn["blocks"]
    lines = {i: HIDDEN_REASONING for i, block in enumerate(blocks) if is_hidden_reasoning(block)}
    tokens = reasoning_tokens_words(turn)
    if lines and tokens:
        lines[max(lines)] += f" ({tokens})"
    return lines


def reasoning_tokens_words(turn: Mapping[str, Any]) -> str:
    """Return the reasoning tokens of a turn that has ended; empty if they are unknown or none."""
    usage = turn.get("usage")
    tokens = as_count(usage.get("reasoning_tokens")) if isinstance(usage, dict) else None
    if not tokens or turn["status"] == "running":
        return ""
    return f"{tokens:,} reasoning tokens in this turn"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
