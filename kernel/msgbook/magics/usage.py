"""`%usage`: tokens and cost of the turns above."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from msgbook.config import Settings
from msgbook.magics.base import MagicContext
from msgbook.notebook import TurnUsage, list_turn_usage

Cost = Callable[[TurnUsage], float | None]
"""Returns the cost of a turn; None if it is not known."""

_COUNTS = ("input", "cached", "output", "reasoning")


async def usage(context: MagicContext, _words: Sequence[str]) -> str:
    """Show the tokens and cost of each turn above, and the sums for each model."""
    transcript = await context.transcript()
    turns = list_turn_usage(transcript.earlier)
    where = "above" if transcript.source == "live" else "of this session"
    if not turns:
        return f"There are no turns {where}."
    return f"Tokens of the turns {where}:\n\n{usage_table(turns, cost_by(context.engine.settings))}"


def cost_by(settings: Settings) -> Cost:
    """Return the function that gives the cost of a turn at the prices of the settings."""

    def cost(turn: TurnUsage) -> float | None:
        # A model of the same name has another price at another provider.
        provider = settings.providers.get(turn.provider)
        return turn.cost(provider.prices) if provider is not None else None

    return cost


class Total(NamedTuple):
    """The sum of values, of which some may not be known."""

    known: float | None
    """None if no value is known."""
    is_complete: bool
    """Whether this is the sum of all."""


def add_up(turns: Sequence[TurnUsage], cost: Cost) -> dict[str, Total]:
    """Return the sums of some turns by the names of their counts, and `cost`."""
    is_complete = all(turn.is_complete for turn in turns)
    sums = {key: _total((getattr(turn, key) for turn in turns), is_complete) for key in _COUNTS}
    return {**sums, "cost": _total(map(cost, turns), is_complete)}


def usage_table(turns: Sequence[TurnUsage], cost: Cost) -> str:
    """Return a table with a line for each turn and each model; `?` is what no server reported."""
    models = list(dict.fromkeys(turn.models for turn in turns))
    rows = [_row(str(turn.cell), turn.models, [turn], cost, turn.title) for turn in turns]
    rows.append([""] * len(rows[0]))
    for model in models:
        of_model = [turn for turn in turns if turn.models == model]
        number = f"{len(of_model)} turn" + ("s" if len(of_model) > 1 else "")
        rows.append(_row("all", model, of_model, cost, number))
    head = ["cell", "model", *_COUNTS, "cost", ""]
    if all(row[-2] in ("", "?") for row in rows):
        # Without prices the column is empty.
        head, rows = head[:-2] + head[-1:], [row[:-2] + row[-1:] for row in rows]
    return _columns([head, *rows])


def _row(first: str, model: str, turns: Sequence[TurnUsage], cost: Cost, title: str) -> list[str]:
    sums = add_up(turns, cost)
    counts = [shown_total(sums[key], "{:,}") for key in _COUNTS]
    return [first, model, *counts, shown_total(sums["cost"], "{:,.4f}"), title]


def _total(values: Iterable[float | None], is_complete: bool) -> Total:
    all_values = list(values)
    known = [value for value in all_values if value is not None]
    return Total(sum(known) if known else None, is_complete and len(known) == len(all_values))


def shown_total(total: Total, form: str) -> str:
    """Return a sum, with `+?` if more is not known."""
    if total.known is None:
        return "?"
    return form.format(total.known) + ("" if total.is_complete else "+?")


def _columns(rows: list[list[str]]) -> str:
    """Align the rows: numbers to the right, `model` and the last column to the left."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            text.ljust(width) if number in (1, len(row) - 1) else text.rjust(width)
            for number, (text, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)
