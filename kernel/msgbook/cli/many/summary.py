"""The table at the end of a run of many files."""

from __future__ import annotations

from collections.abc import Sequence

from msgbook.cli.many.job import FileResult, PaidTurn
from msgbook.cli.terminal import line_of
from msgbook.magics.usage import add_up, shown_total
from msgbook.text import counted

_HEAD = ["file", "turns", "status", "input", "output", "cost", "seconds"]
_LEFT = {0, 2}
"""Columns with words."""


def summary_table(results: Sequence[FileResult], seconds: float) -> list[str]:
    """Return a line for each file, and one for all: turns, status, tokens, cost and seconds.

    Without prices there is no cost.

    Args:
        seconds: That the run took.
    """
    rows = [
        _row(line_of(str(result.path)), result.status, result.turns, result.seconds)
        for result in results
    ]
    turns = [turn for result in results for turn in result.turns]
    rows.append(_row(counted(len(results), "file"), "", turns, seconds))
    table = [_HEAD, *rows]
    if all(turn.cost is None for turn in turns):
        table = [[*row[:5], row[6]] for row in table]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return ["  ".join(_padded(row, widths)).rstrip() for row in table]


def _row(name: str, status: str, turns: Sequence[PaidTurn], seconds: float) -> list[str]:
    costs = {id(turn.usage): turn.cost for turn in turns}
    sums = add_up([turn.usage for turn in turns], lambda usage: costs[id(usage)])
    counts = [shown_total(sums[key], form) if turns else "0" for key, form in _FORMS]
    return [name, str(len(turns)), status, *counts, f"{seconds:.1f}"]


_FORMS = (("input", "{:,}"), ("output", "{:,}"), ("cost", "{:,.4f}"))


def _padded(row: list[str], widths: list[int]) -> list[str]:
    return [
        text.ljust(width) if column in _LEFT else text.rjust(width)
        for column, (text, width) in enumerate(zip(row, widths, strict=True))
    ]
