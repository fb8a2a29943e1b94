"""`%usage`, `%approvals` and `%help`: what the turns above cost, what runs without a question, what can be typed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from msgbook.approval import Approver, Remembered
from msgbook.config import Settings
from msgbook.config.known_models import PriceData, describe_data, find_price, ready
from msgbook.config.prices import Price
from msgbook.magics.base import MagicContext, UsageError
from msgbook.notebook import TurnUsage, list_turn_usage
from msgbook.notebook.magics_table import CELL_FORMS, LINE_MAGICS, MESSAGE_FORMS, format_help

Cost = Callable[[TurnUsage], float | None]
"""Returns the cost of a turn; None if it is not known."""

_COUNTS = ("input", "cached", "output", "reasoning")
_MAY_BE_LEFT_OUT = ("cached", "reasoning", "cost")
"""Columns that a table has only if something in them is known."""

UNKNOWN = (
    "? is not known: the server did not report it, or the model has no price. 7+? is at least 7."
)
"""The line below a table in which something is not known."""


async def usage(context: MagicContext, _words: Sequence[str]) -> str:
    """Show the tokens and cost of each turn above, and the sums for each model."""
    transcript = await context.transcript()
    turns = list_turn_usage(transcript.earlier)
    where = "above" if transcript.source == "live" else "of this session"
    if not turns:
        return f"There are no turns {where}."
    settings = context.conversation.services.settings
    await ready()
    table = usage_table(turns, cost_by(settings))
    source = price_source(turns, settings)
    below = f"\n\nPrices in US dollars: {source}." if source else ""
    return f"Tokens of the turns {where}:\n\n{table}{below}"


def cost_by(settings: Settings) -> Cost:
    """Return the function that gives the cost of a turn at the prices of the settings."""
    return lambda turn: turn.cost(_price_of(turn, settings))


def price_source(turns: Iterable[TurnUsage], settings: Settings) -> PriceData | None:
    """Return where prices come from that the user has not set; None if no turn has such a price."""
    prices = (_price_of(turn, settings) for turn in turns)
    return describe_data() if any(price.is_known for price in prices if price) else None


def _price_of(turn: TurnUsage, settings: Settings) -> Price | None:
    """Return the price of the model that answered, or else of the one that was asked."""
    # A model of the same name has another price at another provider.
    provider = settings.providers.get(turn.provider)
    if provider is None:
        return None
    return find_price(provider, turn.answered_model, turn.model, at=turn.started)


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
    columns = zip(["cell", "model", *_COUNTS, "cost", ""], *rows, strict=True)
    known = [
        (head, *column)
        for head, *column in columns
        if head not in _MAY_BE_LEFT_OUT or set(column) - {"", "?"}
    ]
    numbers = [text for column in known[2:-1] for text in column]
    legend = f"\n\n{UNKNOWN}" if any("?" in text for text in numbers) else ""
    return _columns([list(row) for row in zip(*known, strict=True)]) + legend


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


# `%approvals`: lists what runs without a question, and forgets what the user approved.


POLICIES = {
    "ask": "You are asked about each call that needs approval.",
    "deny": "Calls that need approval are denied (MSGBOOK_APPROVAL=deny).",
    "allow": "All calls run without a question (MSGBOOK_APPROVAL=allow).",
}


async def approvals(context: MagicContext, words: Sequence[str]) -> str:
    """List the policy, your approvals and the rules; `forget N` or `forget all` removes approvals."""
    current = context.conversation.approver
    remembered = current.remembered()
    if not words:
        return _listing(current, remembered)
    if words[0] != "forget" or len(words) != 2:
        raise UsageError("Expected %approvals, %approvals forget N or %approvals forget all.")
    forgotten = remembered if words[1] == "all" else [_pick(words[1], remembered)]
    current.rules.forget(forgotten)
    return "\n".join(f"Forgotten: {item}" for item in forgotten) or "There is nothing to forget."


def _listing(current: Approver, remembered: list[Remembered]) -> str:
    lines = [POLICIES[current.policy]]
    if remembered:
        lines += ["", "Approved by your answers:"]
        lines += [f"{number:4}  {item}" for number, item in enumerate(remembered, 1)]
    if current.rules.settings:
        lines += ["", "Approved by rules in msgbook.toml or in the trusted project:"]
        lines += [f"      {rule}" for rule in current.rules.settings]
    if not remembered and not current.rules.settings:
        lines.append("There are no approval rules for this folder.")
    return "\n".join(lines)


def _pick(number: str, remembered: list[Remembered]) -> Remembered:
    if number.isascii() and number.isdigit() and 1 <= int(number[:9]) <= len(remembered):
        return remembered[int(number[:9]) - 1]
    if not remembered:
        raise UsageError(f"The list of %approvals is empty, so there is no number {number}.")
    raise UsageError(
        f"Expected a number from 1 to {len(remembered)} of %approvals, got {number!r}."
    )


# `%help`: everything that can be typed into a cell.


HELP = f"""\
A cell is a message: write it and press Shift+Enter. The answer appears below it, with its reasoning
and its tool calls. The model knows only the cells above. If you edit, move or delete them, you
change the conversation.

Alone in a cell:

{format_help([form for magic in LINE_MAGICS for form in magic.forms])}

As the first line of a cell:

{format_help(CELL_FORMS)}

In a message:

{format_help(MESSAGE_FORMS)}

Settings: OPENAI_API_KEY, OPENAI_BASE_URL and MSGBOOK_MODEL in the environment, or msgbook.toml in
Jupyter's configuration directory. Without settings, the built-in demo model answers."""


async def help_text(_context: MagicContext, _words: Sequence[str]) -> str:
    """Return the help."""
    return HELP
