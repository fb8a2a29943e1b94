"""Tokens: those that servers told of, what they cost, and how many a request will have. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from typing import Any

from msgbook.messages import Message
from msgbook.notebook.cell_names import named, title_of
from msgbook.notebook.cells import Cell, is_count
from msgbook.request.history import History
from msgbook.text import counted, one_line
from msgbook_format.turn import Turn, turn_of

CHARACTERS_A_TOKEN = 4
IMAGE_TOKENS = 1000
"""What an image is taken for: servers count by its size, most images as 250 to 1,500."""

Prices = Mapping[str, Mapping[str, float]]
"""Of a model: currency units per million tokens of `input`, `cached` input and `output`."""

_EAST_ASIAN = bytes(range(0xE3, 0xEE))
"""First bytes in UTF-8 of U+3000 to U+DFFF: kana, ideographs, Hangul."""

_NAMED_CELLS = 3


@dataclass(frozen=True, slots=True)
class TurnUsage:
    """What one turn used; a count is None where the server told none."""

    cell: int
    """Position of its cell, from 1."""
    title: str
    """First words of the prompt."""
    model: str
    provider: str
    input: int | None
    cached: int | None
    output: int | None
    reasoning: int | None
    complete: bool = True
    """Whether the counts are of all model calls; otherwise there were more tokens."""

    def cost(self, prices: Prices) -> float | None:
        """In the currency of the prices; None where no price or no number is known."""
        price = prices.get(self.model)
        if price is None or self.input is None or self.output is None:
            return None
        cached = min(self.cached or 0, self.input)
        cost = (self.input - cached) * price["input"] + self.output * price["output"]
        return (cost + cached * price.get("cached", price["input"])) / 1_000_000


def list_turn_usage(cells: Sequence[Cell]) -> list[TurnUsage]:
    """What each turn in the cells used, in document order."""
    return [
        _usage_of_turn(number, title_of(cell), turn)
        for number, cell in enumerate(cells, 1)
        for turn in map(turn_of, _outputs(cell))
        if turn is not None
    ]


def estimate_tokens(messages: Iterable[Message], tools: Sequence[Mapping[str, Any]] = ()) -> int:
    """About how many tokens a request has; servers count by each model's own alphabet."""
    total = estimate_text_tokens(json.dumps(tools)) if tools else 0
    return total + sum(map(_estimate_message, messages))


def estimate_text_tokens(text: str) -> int:
    """About how many tokens a text has: an East Asian character one, four others one."""
    if text.isascii():
        return -(-len(text) // CHARACTERS_A_TOKEN)
    data = text.encode("utf-8", "replace")
    east_asian = len(data) - len(data.translate(None, _EAST_ASIAN))
    return east_asian + -(-(len(text) - east_asian) // CHARACTERS_A_TOKEN)


def estimate_cell_tokens(request: History) -> dict[int, int]:
    """About how many tokens each cell gives to a request, by its position."""
    found: dict[int, int] = {}
    for message, owner in zip(request.messages, request.owners, strict=True):
        if owner is not None:
            found[owner] = found.get(owner, 0) + _estimate_message(message)
    return found


def describe_cells(
    positions: Iterable[int], tokens: Mapping[int, int], cells: Sequence[Cell]
) -> str:
    """Some cells, for a person: `cell 3 (Summarise a log): 1,200 tokens; ...`."""
    return "; ".join(
        f"{named(cells, position)}: {counted(tokens[position], 'token')}" for position in positions
    )


def warn_about_length(
    tokens: int, limit: int, of_cells: Mapping[int, int], cells: Sequence[Cell]
) -> str | None:
    """What to say of a request that is long by estimate; None for one that is not.

    Args:
        tokens: Of the whole request.
        limit: Up to which nothing is said.
        of_cells: Those of the cells, as `estimate_cell_tokens` gives them.
        cells: Those above the running one.
    """
    if tokens <= limit:
        return None
    above = [position for position in of_cells if position < len(cells)]
    heaviest = nlargest(_NAMED_CELLS, above, key=lambda position: (of_cells[position], -position))
    largest = describe_cells(heaviest, of_cells, cells)
    told = f" The largest cells above are {largest}." if largest else ""
    return (
        f"This request has about {tokens:,} tokens (an estimate; warn_tokens is {limit:,})."
        f"{told} To send less, delete what is done with, or exclude it: "
        "%%msg history=exclude as the first line of a prompt, "
        '{"msgbook": {"history": "exclude"}} in the metadata of another cell; '
        "history=summary sends a summary of it."
    )


def _outputs(cell: Cell) -> list[Any]:
    outputs = cell.get("outputs")
    return outputs if isinstance(outputs, list) else []


def _estimate_message(message: Message) -> int:
    calls = message.get("tool_calls")
    of_calls = estimate_text_tokens(json.dumps(calls, ensure_ascii=False)) if calls else 0
    return _estimate_content(message.get("content")) + of_calls


def _estimate_content(content: Any) -> int:
    if isinstance(content, str):
        return estimate_text_tokens(content)
    total = 0
    for part in content if isinstance(content, list) else ():
        text = part.get("text")
        total += estimate_text_tokens(text) if isinstance(text, str) else IMAGE_TOKENS
    return total


def _usage_of_turn(number: int, title: str, turn: Turn) -> TurnUsage:
    """Of a turn that may come from a file, so that any value may be odd."""
    usage: Any = turn.get("usage")
    counts = usage if isinstance(usage, dict) else {}

    def count(key: str) -> int | None:
        value = counts.get(f"{key}_tokens")
        return value if is_count(value) else None

    def name(value: object) -> str:
        line = one_line(value, 80) if isinstance(value, str) else ""
        return "".join(c for c in line if c.isprintable())

    return TurnUsage(
        number,
        title,
        name(turn.get("model")) or "?",
        name(turn.get("provider")),
        input=count("input"),
        cached=count("cached"),
        output=count("output"),
        reasoning=count("reasoning"),
        complete=not counts.get("untold_steps") and turn.get("status") != "running",
    )
