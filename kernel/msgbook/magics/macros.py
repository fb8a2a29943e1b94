"""`%macros`: lists the macros in force below a cell, and removes some."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgbook.magics.base import MagicContext, UsageError
from msgbook.notebook import Cell, IsMagic, describe_cell
from msgbook.request import REMOVE, Definition, MacrosAbove, macros_above
from msgbook.text import one_line, visible

_USAGE = f"Expected %macros or %macros {REMOVE} NAME ..."
_SHOWN = 60
"""Characters of a value."""


async def macros(context: MagicContext, words: Sequence[str]) -> str:
    """List the macros, or with `-d` remove some for the cells below.

    Raises:
        UsageError: The words are not those of `%macros`.
    """
    transcript = await context.transcript()
    is_magic = context.engine.request_builder.is_magic
    return describe_macros(transcript.metadata, transcript.earlier, is_magic, words)


def describe_macros(
    metadata: Mapping[str, Any], cells: Sequence[Cell], is_magic: IsMagic, words: Sequence[str]
) -> str:
    """Return what `%macros` prints below some cells of a notebook.

    Raises:
        UsageError: The words are not those of `%macros`.
    """
    above = macros_above(metadata, cells, is_magic)
    if not words:
        return _listing(above, cells)
    if words[0] != REMOVE or len(words) == 1:
        raise UsageError(_USAGE)
    # The cell itself removes them for the cells below it, so there is nothing to do here.
    return "\n".join(
        _removal(name, above.macros.get(name), cells) for name in dict.fromkeys(words[1:])
    )


def _listing(above: MacrosAbove, cells: Sequence[Cell]) -> str:
    names = [visible(name) for name in above.macros]
    values = [_value(macro) for macro in above.macros.values()]
    width, column = max(map(len, names), default=0), max(map(len, values), default=0)
    lines = [
        f"{name:{width}}  {value:{column}}  {_place(macro, cells)}"
        for name, value, macro in zip(names, values, above.macros.values(), strict=True)
    ]
    lines = lines or ["There are no macros here. Write #define NAME TEXT in a prompt to make one."]
    return "\n".join([*lines, *(problem.message for problem in above.problems)])


def _removal(name: str, macro: Definition | None, cells: Sequence[Cell]) -> str:
    shown = visible(one_line(name, _SHOWN))
    if macro is None:
        return f"There is no macro {shown} here."
    return f"Removed for the cells below: {shown}, from {_place(macro, cells)}"


def _value(macro: Definition) -> str:
    line = visible(one_line(macro.value, _SHOWN + 1))
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…"


def _place(macro: Definition, cells: Sequence[Cell]) -> str:
    return "the notebook's metadata" if macro.cell is None else describe_cell(cells, macro.cell)
