"""Macros: names that a conversation gives to texts. Pure; no code runs in a macro.

A definition is `#define NAME value`, to the end of the line, or `@{define NAME, value}`, both outside
of code. It stays in the text, and replaces earlier definitions of the name. A cell
`%macros -d NAME ...` removes macros for the cells below it, until they are defined again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from msgbook.notebook import Cell, may_define, metadata_of, parse_prompt, saved_history, source_of
from msgbook.request.context.tags import find_images, find_tags
from msgbook.scanner import Problem, Scanner, locate_problems, match_brackets
from msgbook_format.syntax import CHAT_CELLS, CellRule, is_excluded

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
    cell_rule: CellRule = CHAT_CELLS,
) -> Macros:
    """Return the macros in force for a prompt: those above it, and its own.

    Args:
        metadata: As for `macros_above`.
        earlier: As for `macros_above`.

    Returns:
        Macros, with the problems of the metadata (line 0) and of the prompt.
    """
    above, problems = macros_above(metadata, earlier, cell_rule)
    values = {name: definition.value for name, definition in above.items()}
    own = parse_definitions(prompt)
    for name, value in own.values.items():
        _put(values, name, value)
    return Macros(values, problems + own.problems)


def macros_above(
    metadata: Mapping[str, Any], earlier: Sequence[Cell], cell_rule: CellRule = CHAT_CELLS
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
        for name, value in parse_definitions(_user_text(cell, cell_rule)).values.items():
            _put(macros, name, Definition(value, position))
    return MacrosAbove(macros, problems)


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
    is_hidden = is_excluded(saved_history(cell))
    return words[1:] if is_removal and not is_hidden else []


def _user_text(cell: Cell, cell_rule: CellRule) -> str:
    """Return the text of a prompt or note that is sent as the user's; empty for any other cell."""
    ours, source = metadata_of(cell), source_of(cell)
    history = saved_history(cell)
    if cell.get("cell_type") == "markdown":
        return "" if is_excluded(history) or ours.get("role") == "assistant" else source
    if cell.get("cell_type") != "code" or not cell_rule.is_message(source):
        return ""
    prompt = parse_prompt(source)
    return "" if is_excluded(prompt.read_history(history)) else prompt.text


# Expansion of macros: `{{NAME}}` and `<!-- @ifdef NAME -->` ... `<!-- @endif -->`. Pure.
#
# Both are expanded everywhere in a text, also in code. `{{NAME}}` has no spaces inside and stays as it
# is if NAME is not defined, so that other kinds of templates are not touched.


GROWTH = 1_000_000
"""Characters that macros may add to one text: a macro that doubles another doubles again in each."""
DEPTH = 50
"""Levels of macros in macros: each takes several of the 1,000 frames that Python's stack has."""

_USE = re.compile(rf"\{{\{{({NAME})\}}\}}")
_DIRECTIVE = re.compile(
    rf"<!--[ \t]*@(?:(?P<test>ifn?def)[ \t]+(?P<name>{NAME})|(?P<mark>else|endif))[ \t]*-->"
)


class ExpandedText(NamedTuple):
    """A text with its macros expanded, and its problems, at lines of the original text."""

    text: str
    problems: list[Problem]


def expand_macros(text: str, macros: Mapping[str, str], growth: int = GROWTH) -> ExpandedText:
    """Expand the macros of a text.

    A line of directives only is removed. Directives without a partner stay as written, and so do
    macros that contain themselves or exceed a limit; each is a problem.

    Args:
        growth: Characters that macros may add.
    """
    messages: list[tuple[int, str]] = []
    pieces = _select_pieces(text, macros, messages) if "<!--" in text else [(0, len(text))]
    expansion = _Expansion(macros, growth)
    out = []
    for start, end in pieces:
        done = start
        for use in _USE.finditer(text, start, end):
            out += [text[done : use.start()], expansion.expand_use(use, ())]
            done = use.end()
            messages += [(use.start(), message) for message in expansion.take_messages()]
        out.append(text[done:end])
    return ExpandedText("".join(out), locate_problems(text, messages))


@dataclass(slots=True)
class _Expansion:
    """Expands uses of macros within one limit, so that hostile definitions cannot grow without end."""

    macros: Mapping[str, str]
    growth: int
    left: int = field(init=False)
    _messages: list[str] = field(default_factory=list)
    _reported: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.left = self.growth

    def expand_use(self, use: re.Match[str], around: tuple[str, ...]) -> str:
        """Return the text of one use of a macro; the use as written if it cannot be expanded.

        Args:
            around: The macros whose values contain the use, outermost first.
        """
        name = use[1]
        value = self.macros.get(name)
        if value is None:
            return use[0]
        if name in around:
            circle = " -> ".join((*around[around.index(name) :], name))
            return self._keep(use[0], f"A macro contains itself: {circle}.")
        if len(around) == DEPTH:
            return self._keep(use[0], f"Macros are nested more than {DEPTH} deep at {name}.")
        if len(value) >= self.left:
            message = (
                f"The macros add more than {self.growth} characters; the rest is not expanded."
            )
            return self._keep(use[0], message)
        self.left -= len(value) + 1
        return _USE.sub(lambda inner: self.expand_use(inner, (*around, name)), value)

    def take_messages(self) -> list[str]:
        """Return the messages about problems since the last call, each only once."""
        messages, self._messages = self._messages, []
        return messages

    def _keep(self, use: str, message: str) -> str:
        if message not in self._reported:
            self._reported.add(message)
            self._messages.append(message)
        return use


@dataclass(slots=True)
class _Condition:
    """An `@ifdef` or `@ifndef` with its `@else` and `@endif`."""

    test: re.Match[str]
    otherwise: re.Match[str] | None = None
    end: re.Match[str] | None = None

    def holds(self, macros: Mapping[str, str]) -> bool:
        return (self.test["name"] in macros) == (self.test["test"] == "ifdef")


def _select_pieces(
    text: str, macros: Mapping[str, str], problems: list[tuple[int, str]]
) -> list[tuple[int, int]]:
    """Return the spans of a text whose conditions hold, without the directives."""
    roles = _pair_directives(text, problems)
    extents = _extents(text, [directive for directive, _ in roles])
    pieces: list[tuple[int, int]] = []
    states: list[bool] = []
    hidden = 0
    done = 0
    for (directive, condition), (start, end) in zip(roles, extents, strict=True):
        if not hidden and done < start:
            pieces.append((done, start))
        done = max(done, end)
        if directive is condition.end:
            hidden -= not states.pop()
        elif directive is condition.otherwise:
            states[-1] = not states[-1]
            hidden += -1 if states[-1] else 1
        else:
            states.append(condition.holds(macros))
            hidden += not states[-1]
    return [*pieces, (done, len(text))]


def _pair_directives(
    text: str, problems: list[tuple[int, str]]
) -> list[tuple[re.Match[str], _Condition]]:
    """Return the directives that have their partners, in order, each with its condition."""
    opened: list[_Condition] = []
    stray: list[re.Match[str]] = []
    closed: list[_Condition] = []
    for directive in _DIRECTIVE.finditer(text):
        if directive["test"]:
            opened.append(_Condition(directive))
        elif not opened or (directive["mark"] == "else" and opened[-1].otherwise):
            stray.append(directive)
        elif directive["mark"] == "else":
            opened[-1].otherwise = directive
        else:
            opened[-1].end = directive
            closed.append(opened.pop())
    for directive in [*stray, *(condition.test for condition in opened)]:
        lacks = "@endif" if directive["test"] else "@ifdef or @ifndef"
        problems.append((directive.start(), f"{directive[0]} has no {lacks}."))
    roles = [
        (directive, condition)
        for condition in closed
        for directive in (condition.test, condition.otherwise, condition.end)
        if directive
    ]
    return sorted(roles, key=lambda role: role[0].start())


def _extents(text: str, directives: list[re.Match[str]]) -> list[tuple[int, int]]:
    """Return the span to remove with each directive: its line, if that has nothing but directives."""
    extents: list[tuple[int, int]] = []
    index = 0
    while index < len(directives):
        start = text.rfind("\n", 0, directives[index].start()) + 1
        end = text.find("\n", directives[index].end()) + 1 or len(text)
        first = index
        while index < len(directives) and directives[index].start() < end:
            index += 1
        here = directives[first:index]
        gaps = zip(
            [start, *(directive.end() for directive in here)],
            [*(directive.start() for directive in here), end],
            strict=True,
        )
        alone = not any(text[a:b].strip() for a, b in gaps)
        extents += [(start, end) if alone else directive.span() for directive in here]
    return extents


# Text of a model as a prompt: what only a person may write in one becomes plain text. Pure.


_PASSES = 5
"""Backslashes are tried so often; a text that resists gets blanks."""

_PYTHON = "py:"
_OPENERS = ("@[", "@{", "#define", "![")


def deactivate(text: str) -> str:
    """Return a text without definitions, references to tools and variables, and remote images.

    A backslash before each makes it plain text, now and whenever the prompt is run again. References
    to files stay: they are read under the rights of the agent that runs the prompt.
    """
    for _ in range(_PASSES):
        found = _active_parts(text)
        if not found:
            return text
        for position in sorted(found, reverse=True):
            text = f"{text[:position]}\\{text[position:]}"
    if _active_parts(text):
        for opener in _OPENERS:
            text = text.replace(opener, f"{opener[0]} {opener[1:]}")
    return text


def _active_parts(text: str) -> set[int]:
    """Return the positions at which a backslash makes plain text."""
    tags = find_tags(text).tags
    return {
        *(tag.start for tag in tags if tag.tool or tag.text.startswith(_PYTHON)),
        *(image.start for image in find_images(text) if image.is_remote),
        *find_definitions(text),
    }
