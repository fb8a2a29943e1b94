"""`%macros`: the macros in force below a cell, and how they are removed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgbook.magics.base import MagicContext, UsageError
from msgbook.notebook.cell_names import describe_cell
from msgbook.notebook.cells import Cell, IsMagic
from msgbook.request.context.macros import REMOVE, Definition, MacrosAbove, macros_above
from msgbook.text import one_line, visible

_USAGE = f"Expected %macros, or %macros {REMOVE} NAME ..."
_SHOWN = 60
"""Characters of a value."""


async def macros(scene: MagicContext, words: Sequence[str]) -> str:
    """List the macros; with `-d` remove some for the cells below.

    Raises:
        UsageError: The words mean nothing.
    """
    transcript = await scene.transcript()
    is_magic = scene.engine.request_builder.is_magic
    return told(transcript.metadata, transcript.earlier, is_magic, words)


def told(
    metadata: Mapping[str, Any], cells: Sequence[Cell], is_magic: IsMagic, words: Sequence[str]
) -> str:
    """What `%macros` says below some cells of a notebook.

    Raises:
        UsageError: The words mean nothing.
    """
    above = macros_above(metadata, cells, is_magic)
    if not words:
        return _listing(above, cells)
    if words[0] != REMOVE or len(words) == 1:
        raise UsageError(_USAGE)
    # The cell itself removes them, by standing where it stands: nothing has to be done here.
    return "\n".join(
        _removal(name, above.macros.get(name), cells) for name in dict.fromkeys(words[1:])
    )


def _listing(above: MacrosAbove, cells: Sequence[Cell]) -> str:
    names = [visible(name) for name in above.macros]
    values = [_value(one) for one in above.macros.values()]
    width, column = max(map(len, names), default=0), max(map(len, values), default=0)
    lines = [
        f"{name:{width}}  {value:{column}}  {_place(one, cells)}"
        for name, value, one in zip(names, values, above.macros.values(), strict=True)
    ]
    lines = lines or ["There are no macros here. #define NAME value in a prompt makes one."]
    return "\n".join([*lines, *(problem.message for problem in above.problems)])


def _removal(name: str, one: Definition | None, cells: Sequence[Cell]) -> str:
    shown = visible(one_line(name, _SHOWN))
    if one is None:
        return f"There is no macro {shown} here."
    return f"Removed for the cells below: {shown}, from {_place(one, cells)}"


def _value(one: Definition) -> str:
    line = visible(one_line(one.value, _SHOWN + 1))
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…"


def _place(one: Definition, cells: Sequence[Cell]) -> str:
    return "the notebook's metadata" if one.cell is None else describe_cell(cells, one.cell)
