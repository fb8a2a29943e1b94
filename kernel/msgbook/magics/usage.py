"""`%usage`: tokens and cost of the turns above."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgbook.magics.base import MagicContext
from msgbook.notebook.token_usage import TurnUsage, list_turn_usage

Cost = Callable[[TurnUsage], float | None]
"""What a turn cost; None where it is not known."""

_COUNTS = ("input", "cached", "output", "reasoning")


async def usage(scene: MagicContext, _words: Sequence[str]) -> str:
    """Show what each turn above used, and what the turns of each model did together."""
    transcript = await scene.transcript()
    turns = list_turn_usage(transcript.earlier)
    where = "above" if transcript.source == "live" else "of this session"
    if not turns:
        return f"There are no turns {where}."
    providers = scene.engine.settings.providers

    def cost(turn: TurnUsage) -> float | None:
        # A model of the same name at another server has another price.
        provider = providers.get(turn.provider)
        return turn.cost(provider.prices) if provider is not None else None

    return f"Tokens of the turns {where}:\n\n{usage_table(turns, cost)}"


def usage_table(turns: Sequence[TurnUsage], cost: Cost) -> str:
    """A line for each turn, one for each model, in columns; `?` is what no server told."""
    models = list(dict.fromkeys(turn.model for turn in turns))
    rows = [_row(str(turn.cell), turn.model, [turn], cost, turn.title) for turn in turns]
    rows.append([""] * len(rows[0]))
    for model in models:
        of_model = [turn for turn in turns if turn.model == model]
        number = f"{len(of_model)} turn" + ("s" if len(of_model) > 1 else "")
        rows.append(_row("all", model, of_model, cost, number))
    head = ["cell", "model", *_COUNTS, "cost", ""]
    if all(row[-2] in ("", "?") for row in rows):
        # Without prices the column says nothing.
        head, rows = head[:-2] + head[-1:], [row[:-2] + row[-1:] for row in rows]
    return _columns([head, *rows])


def _row(first: str, model: str, turns: Sequence[TurnUsage], cost: Cost, title: str) -> list[str]:
    whole = all(turn.is_complete for turn in turns)
    counts = [_sum((getattr(turn, key) for turn in turns), "{:,}", whole) for key in _COUNTS]
    return [first, model, *counts, _sum(map(cost, turns), "{:,.4f}", whole), title]


def _sum(values: Iterable[float | None], form: str, whole: bool) -> str:
    """The sum of what is known; `+?` says that something is not, as when `whole` is false."""
    told = list(values)
    known = [value for value in told if value is not None]
    if not known:
        return "?"
    return form.format(sum(known)) + ("" if whole and len(known) == len(told) else "+?")


def _columns(rows: list[list[str]]) -> str:
    """Rows with numbers to the right, `model` and the last column to the left."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            text.ljust(width) if number in (1, len(row) - 1) else text.rjust(width)
            for number, (text, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)
