"""Expansion of macros: `{{NAME}}` and `<!-- @ifdef NAME -->` ... `<!-- @endif -->`. Pure.

Both are expanded everywhere in a text, also in code. `{{NAME}}` has no spaces inside and stays as it
is if NAME is not defined, so that other kinds of templates are not touched.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from msgbook.request.context.macros import NAME
from msgbook.scanner import Problem, locate_problems

GROWTH = 1_000_000
"""Characters that macros may add to one text."""
DEPTH = 50
"""Levels of macros in macros."""

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
