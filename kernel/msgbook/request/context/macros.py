"""Macros: names that a conversation gives to texts. Pure; no code runs in a macro.

Definitions are `#define NAME value`, to the end of the line, and `@{define NAME, value}`, both
outside of code; they stay in the text. A later one takes the place of an earlier one. A cell
`%macros -d NAME ...` removes some for the cells below it, until they are defined again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from msgbook.notebook.cells import (
    Cell,
    IsMagic,
    any_magic,
    is_excluded,
    is_prompt,
    metadata_of,
    parse_prompt,
    source_of,
)
from msgbook.request.context.scanner import Problem, Scanner, locate_problems, match_brackets

NAME = r"[^\W\d]\w*"
"""A macro's name, as a regular expression."""

_OPENER = (
    rf"^[ \t]*\#define[ \t]+(?P<name>{NAME})(?=\s|\Z)(?P<value>[^\r\n]*)"
    rf"|@\{{define\s+(?P<braced>{NAME})\s*,"
)
_QUOTED = re.compile(r"""\s*(?:"((?:[^"\\]|\\.)*+)"|'((?:[^'\\]|\\.)*+)')\s*\}""", re.DOTALL)
_Value = TypeVar("_Value")
_ESCAPED = re.compile(r"\\([\"'\\])")


REMOVE = "-d"
"""What `%macros` is given to remove the macros that it names."""


class Macros(NamedTuple):
    """Definitions, and what is wrong with the text that makes them."""

    values: dict[str, str]
    problems: list[Problem]


class Definition(NamedTuple):
    """A macro, and where it comes from."""

    value: str
    cell: int | None
    """Position of the cell; None for the notebook's metadata."""


class MacrosAbove(NamedTuple):
    """What is in force below some cells, by name, in the order of the definitions."""

    macros: dict[str, Definition]
    problems: list[Problem]
    """Of the metadata."""


def parse_definitions(text: str) -> Macros:
    """What a text defines, in order; of two definitions of a name the later one."""
    values: dict[str, str] = {}
    unclosed: list[tuple[int, str]] = []
    if "#define" not in text and "@{define" not in text:
        return Macros(values, [])
    braces: dict[int, int] | None = None
    scanner = Scanner(text, _OPENER)
    while found := scanner.next():
        if found["name"]:
            _put(values, found["name"], found["value"].strip())
            continue
        if braces is None:
            braces = match_brackets(text, "{}", within=r"\n[ \t]*\r?\n")
        end = braces.get(found.start() + 1)
        if quoted := _QUOTED.match(text, found.end()):
            value, position = _unescaped(quoted), quoted.end()
        elif end is not None and end >= found.end():
            value, position = text[found.end() : end].strip(), end + 1
        else:
            words = f"{found[0]} has no closing brace in its paragraph; it defines nothing."
            unclosed.append((found.start(), words))
            continue
        _put(values, found["braced"], value)
        scanner.skip(position)
    return Macros(values, locate_problems(text, unclosed))


def macros_in_force(
    metadata: Mapping[str, Any],
    earlier: Sequence[Cell],
    prompt: str,
    is_magic: IsMagic = any_magic,
) -> Macros:
    """The macros of one turn: those above, and the prompt's.

    Args:
        metadata: As for `macros_above`.
        earlier: As for `macros_above`.

    Returns: The problems are those of the metadata and of the prompt alone; lines are the prompt's,
        0 for the metadata.
    """
    above, problems = macros_above(metadata, earlier, is_magic)
    values = {name: one.value for name, one in above.items()}
    own = parse_definitions(prompt)
    for name, value in own.values.items():
        _put(values, name, value)
    return Macros(values, problems + own.problems)


def macros_above(
    metadata: Mapping[str, Any], earlier: Sequence[Cell], is_magic: IsMagic = any_magic
) -> MacrosAbove:
    """The macros in force below some cells: the notebook's, and those of the cells.

    What a model has written defines nothing: no answer, and no note in the assistant's name.

    Args:
        metadata: Of the notebook; `msgbook.macros` maps names to texts.
        earlier: The cells; those excluded from the history neither define nor remove.
    """
    noted, problems = _noted(metadata)
    macros = {name: Definition(value, None) for name, value in noted.items()}
    for position, cell in enumerate(earlier):
        source = source_of(cell)
        if not ("#define" in source or "@{define" in source or "%macros" in source):
            continue  # most cells, and to take one apart takes long
        for name in _removed(cell):
            macros.pop(name, None)
        for name, value in parse_definitions(_words(cell, is_magic)).values.items():
            _put(macros, name, Definition(value, position))
    return MacrosAbove(macros, problems)


def _put(macros: dict[str, _Value], name: str, value: _Value) -> None:
    """Define; the order is that of the definitions in force."""
    macros.pop(name, None)
    macros[name] = value


def _unescaped(quoted: re.Match[str]) -> str:
    return _ESCAPED.sub(r"\1", quoted[1] if quoted[1] is not None else quoted[2])


def _noted(metadata: Mapping[str, Any]) -> Macros:
    """The macros in a notebook's metadata."""
    noted = metadata_of({"metadata": metadata}).get("macros", {})
    if not isinstance(noted, Mapping):
        words = f"metadata.msgbook.macros: expected names and texts, found {type(noted).__name__}."
        return Macros({}, [Problem(0, words)])
    values: dict[str, str] = {}
    problems = []
    for name, value in noted.items():
        if re.fullmatch(NAME, str(name)) and isinstance(value, str):
            values[str(name)] = value
        else:
            words = f"metadata.msgbook.macros: {str(name)[:100]!r} does not map a name to a text."
            problems.append(Problem(0, words))
    return Macros(values, problems)


def _removed(cell: Cell) -> list[str]:
    """The names that a cell `%macros -d NAME ...` removes; it stands alone in its cell."""
    source = source_of(cell).strip() if cell.get("cell_type") == "code" else ""
    if not source.startswith("%macros") or "\n" in source:
        return []
    magic, *words = source.split()
    is_removal = magic == "%macros" and words[:1] == [REMOVE]
    is_silent = is_excluded(metadata_of(cell).get("history", "include"))
    return words[1:] if is_removal and not is_silent else []


def _words(cell: Cell, is_magic: IsMagic) -> str:
    """What a person says in a cell that the model gets; empty for any other."""
    ours, source = metadata_of(cell), source_of(cell)
    history = ours.get("history", "include")
    if cell.get("cell_type") == "markdown":
        return "" if is_excluded(history) or ours.get("role") == "assistant" else source
    if cell.get("cell_type") != "code" or not is_prompt(source, is_magic):
        return ""
    prompt = parse_prompt(source)
    return "" if is_excluded(prompt.attributes.get("history", history)) else prompt.text
