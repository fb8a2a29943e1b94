"""Macros: names that a conversation gives to texts. Pure; no code runs in a macro.

A definition is `#define NAME value`, to the end of the line, or `@{define NAME, value}`, both outside
of code. It stays in the text, and replaces earlier definitions of the name. A cell
`%macros -d NAME ...` removes macros for the cells below it, until they are defined again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from msgbook.notebook import (
    Cell,
    IsMagic,
    any_magic,
    is_imported,
    is_prompt,
    metadata_of,
    parse_prompt,
    source_of,
)
from msgbook.scanner import Problem, Scanner, locate_problems, match_brackets
from msgbook_format.syntax import is_excluded

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
"""The option of `%macros` that removes the named macros."""


class Macros(NamedTuple):
    """Values of macros by name, and problems in the text that defines them."""

    values: dict[str, str]
    problems: list[Problem]


class Definition(NamedTuple):
    """The value of a macro, and the place that defines it."""

    value: str
    cell: int | None
    """Position of the cell; None for the notebook's metadata."""


class MacrosAbove(NamedTuple):
    """Macros in force below some cells, by name, in the order of their definitions."""

    macros: dict[str, Definition]
    problems: list[Problem]
    """Problems in the notebook's metadata."""


def parse_definitions(text: str) -> Macros:
    """Return the macros that a text defines, in order; of two with the same name the later one."""
    values: dict[str, str] = {}
    unclosed: list[tuple[int, str]] = []
    if "#define" not in text and "@{define" not in text:
        return Macros(values, [])
    braces: dict[int, int] | None = None
    scanner = Scanner(text, _OPENER)
    while opener := scanner.next():
        if opener["name"]:
            _put(values, opener["name"], opener["value"].strip())
            continue
        if braces is None:
            braces = match_brackets(text, "{}", within=r"\n[ \t]*\r?\n")
        end = braces.get(opener.start() + 1)
        if quoted := _QUOTED.match(text, opener.end()):
            value, position = _unescaped(quoted), quoted.end()
        elif end is not None and end >= opener.end():
            value, position = text[opener.end() : end].strip(), end + 1
        else:
            message = f"{opener[0]} has no closing brace in its paragraph; it defines nothing."
            unclosed.append((opener.start(), message))
            continue
        _put(values, opener["braced"], value)
        scanner.skip(position)
    return Macros(values, locate_problems(text, unclosed))


def find_definitions(text: str) -> list[int]:
    """Return the positions of the `#` or `@` of what may define a macro."""
    scanner = Scanner(text, _OPENER)
    found = []
    while opener := scanner.next():
        found.append(opener.end() - len(opener[0].lstrip(" \t")))
    return found


def macros_in_force(
    metadata: Mapping[str, Any],
    earlier: Sequence[Cell],
    prompt: str,
    is_magic: IsMagic = any_magic,
) -> Macros:
    """Return the macros in force for a prompt: those above it, and its own.

    Args:
        metadata: As for `macros_above`.
        earlier: As for `macros_above`.

    Returns:
        Macros, with the problems of the metadata (line 0) and of the prompt.
    """
    above, problems = macros_above(metadata, earlier, is_magic)
    values = {name: definition.value for name, definition in above.items()}
    own = parse_definitions(prompt)
    for name, value in own.values.items():
        _put(values, name, value)
    return Macros(values, problems + own.problems)


def macros_above(
    metadata: Mapping[str, Any], earlier: Sequence[Cell], is_magic: IsMagic = any_magic
) -> MacrosAbove:
    """Return the macros in force below some cells: the notebook's, and those of the cells.

    Text of a model defines no macros: neither an answer nor a note with the role assistant.

    Args:
        metadata: Of the notebook; `msgbook.macros` maps names to texts.
        earlier: The cells. Cells excluded from the history neither define nor remove macros.
    """
    from_metadata, problems = _read_metadata_macros(metadata)
    macros = {name: Definition(value, None) for name, value in from_metadata.items()}
    for position, cell in enumerate(earlier):
        if not may_define(cell):
            continue  # true of most cells, and parsing takes long
        for name in _removed(cell):
            macros.pop(name, None)
        for name, value in parse_definitions(_user_text(cell, is_magic)).values.items():
            _put(macros, name, Definition(value, position))
    return MacrosAbove(macros, problems)


def may_define(cell: Cell) -> bool:
    """Return False only if a cell neither defines nor removes macros. An imported message does not."""
    source = "" if is_imported(cell) else source_of(cell)
    return "#define" in source or "@{define" in source or "%macros" in source


def _put(macros: dict[str, _Value], name: str, value: _Value) -> None:
    """Define a macro as the last one in the order of definitions."""
    macros.pop(name, None)
    macros[name] = value


def _unescaped(quoted: re.Match[str]) -> str:
    return _ESCAPED.sub(r"\1", quoted[1] if quoted[1] is not None else quoted[2])


def _read_metadata_macros(metadata: Mapping[str, Any]) -> Macros:
    """Return the macros in a notebook's metadata."""
    from_metadata = metadata_of({"metadata": metadata}).get("macros", {})
    if not isinstance(from_metadata, Mapping):
        message = f"metadata.msgbook.macros: expected names and texts, got {type(from_metadata).__name__}."
        return Macros({}, [Problem(0, message)])
    values: dict[str, str] = {}
    problems = []
    for name, value in from_metadata.items():
        if re.fullmatch(NAME, str(name)) and isinstance(value, str):
            values[str(name)] = value
        else:
            message = f"metadata.msgbook.macros: expected a name and a text at {str(name)[:100]!r}."
            problems.append(Problem(0, message))
    return Macros(values, problems)


def _removed(cell: Cell) -> list[str]:
    """Return the names that a cell `%macros -d NAME ...` removes; empty for any other cell."""
    source = source_of(cell).strip() if cell.get("cell_type") == "code" else ""
    if not source.startswith("%macros") or "\n" in source:
        return []
    magic, *words = source.split()
    is_removal = magic == "%macros" and words[:1] == [REMOVE]
    is_hidden = is_excluded(metadata_of(cell).get("history", "include"))
    return words[1:] if is_removal and not is_hidden else []


def _user_text(cell: Cell, is_magic: IsMagic) -> str:
    """Return the text of a prompt or note that is sent as the user's; empty for any other cell."""
    ours, source = metadata_of(cell), source_of(cell)
    history = ours.get("history", "include")
    if cell.get("cell_type") == "markdown":
        return "" if is_excluded(history) or ours.get("role") == "assistant" else source
    if cell.get("cell_type") != "code" or not is_prompt(source, is_magic):
        return ""
    prompt = parse_prompt(source)
    return "" if is_excluded(prompt.read_history(history)) else prompt.text
