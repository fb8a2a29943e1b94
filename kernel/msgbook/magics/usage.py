"""`%usage`: tokens and cost of the turns above."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

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
    providers = context.engine.settings.providers

    def cost(turn: TurnUsage) -> float | None:
        # A model of the same name has another price at another provider.
        provider = providers.get(turn.provider)
        return turn.cost(provider.prices) if provider is not None else None

    return f"Tokens of the turns {where}:\n\n{usage_table(turns, cost)}"


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
    is_complete = all(turn.is_complete for turn in turns)
    counts = [_sum((getattr(turn, key) for turn in turns), "{:,}", is_complete) for key in _COUNTS]
    return [first, model, *counts, _sum(map(cost, turns), "{:,.4f}", is_complete), title]


def _sum(values: Iterable[float | None], form: str, is_complete: bool) -> str:
    """Return the sum of the known values, with `+?` if some are unknown or the turns are incomplete."""
    all_values = list(values)
    known = [value for value in all_values if value is not None]
    if not known:
        return "?"
    return form.format(sum(known)) + ("" if is_complete and len(known) == len(all_values) else "+?")


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
