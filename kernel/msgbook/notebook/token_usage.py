"""Token counts that turns recorded, and their cost. Pure; a notebook's values may be of any type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from msgbook.config.prices import Price
from msgbook.notebook.cells import Cell, is_count, once, outputs_of, title_of
from msgbook.text import one_line
from msgbook_format.turn import Turn, turn_of
from msgbook_format.typed import as_dict, as_text


@dataclass(frozen=True, slots=True)
class TurnUsage:
    """Token counts of one turn; a count that the server did not report is None."""

    cell: int
    """Position of its cell, from 1."""
    title: str
    """First words of the prompt."""
    model: str
    """The model that was asked."""
    provider: str
    input: int | None
    cached: int | None
    output: int | None
    reasoning: int | None
    is_complete: bool = True
    """Whether the counts include all model calls; otherwise the turn used more tokens."""
    answered_model: str = ""
    """The model that answered; empty if it is the one that was asked."""
    cache_write: int | None = None
    searches: int | None = None
    """Searches of the server's own."""
    requests: int = 1
    """Model calls of the turn."""
    started: datetime | None = None

    @property
    def models(self) -> str:
        """The model; `ASKED → ANSWERED` if another one answered."""
        return " → ".join(filter(None, (self.model, self.answered_model)))

    def cost(self, price: Price | None) -> float | None:
        """Return the cost in the currency of the price; None if that or a count is unknown."""
        counts = {
            "input_tokens": self.input,
            "cached_tokens": self.cached,
            "cache_write_tokens": self.cache_write,
            "output_tokens": self.output,
            "web_searches": self.searches,
        }
        known = {key: count for key, count in counts.items() if count is not None}
        return price.cost(known, self.requests) if price is not None else None


def _time(value: object) -> datetime | None:
    try:
        return datetime.fromisoformat(str(value))
    except ValueError:
        return None


def list_turn_usage(cells: Sequence[Cell]) -> list[TurnUsage]:
    """Return the usage of each turn in the cells, in document order."""
    return [
        replace(usage, cell=number)
        for number, cell in enumerate(cells, 1)
        for usage in usage_of_cell(cell)
    ]


@once
def usage_of_cell(cell: Cell) -> list[TurnUsage]:
    """Return the usage of each turn of a cell, as if it were the first cell."""
    turns = map(turn_of, outputs_of(cell))
    return [_usage_of_turn(1, title_of(cell), turn) for turn in turns if turn is not None]


def _usage_of_turn(number: int, title: str, turn: Turn) -> TurnUsage:
    usage: Any = turn.get("usage")
    counts = as_dict(usage)

    def count(key: str) -> int | None:
        value = counts.get(key)
        return value if is_count(value) else None

    def name(value: object) -> str:
        line = one_line(as_text(value), 80)
        return line if line.isprintable() else "".join(c for c in line if c.isprintable())

    return TurnUsage(
        number,
        title,
        name(turn.get("model")) or "?",
        name(turn.get("provider")),
        input=count("input_tokens"),
        cached=count("cached_tokens"),
        output=count("output_tokens"),
        reasoning=count("reasoning_tokens"),
        is_complete=not counts.get("untold_steps") and turn.get("status") != "running",
        answered_model=name(turn.get("answered_model")),
        cache_write=count("cache_write_tokens"),
        searches=count("web_searches"),
        requests=len({n for block in turn["blocks"] if is_count(n := block.get("step"))}) or 1,
        started=_time(turn.get("started")),
    )
