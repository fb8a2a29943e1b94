"""Macros in a text: `{{NAME}}` and `<!-- @ifdef NAME -->` ... `<!-- @endif -->`. Pure.

Both count everywhere in the text, code included. `{{NAME}}` has no blanks and stays where NAME is
not defined, so that templates of other kinds come through.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from msgbook.request.context.macros import NAME
from msgbook.request.context.scanner import Problem, locate_problems

GROWTH = 1_000_000
"""Characters that the macros of one text may put into it."""
DEPTH = 50
"""How deep macros may stand in macros."""

_USE = re.compile(rf"\{{\{{({NAME})\}}\}}")
_DIRECTIVE = re.compile(
    rf"<!--[ \t]*@(?:(?P<test>ifn?def)[ \t]+(?P<name>{NAME})|(?P<mark>else|endif))[ \t]*-->"
)


class ExpandedText(NamedTuple):
    """A text with its macros expanded, and what is wrong with it; lines are the given text's."""

    text: str
    problems: list[Problem]


def expand_macros(text: str, macros: Mapping[str, str], growth: int = GROWTH) -> ExpandedText:
    """Expand the macros of a text.

    A line with nothing but directives vanishes. What has no partner, and macros that contain
    themselves or grow past all bounds, stay as written, with a problem that names them.

    Args:
        growth: Characters that the macros may put into it.
    """
    found: list[tuple[int, str]] = []
    pieces = _chosen(text, macros, found) if "<!--" in text else [(0, len(text))]
    expansion = _Expansion(macros, growth)
    out = []
    for start, end in pieces:
        done = start
        for use in _USE.finditer(text, start, end):
            out += [text[done : use.start()], expansion.of(use, ())]
            done = use.end()
            found += [(use.start(), words) for words in expansion.news()]
        out.append(text[done:end])
    return ExpandedText("".join(out), locate_problems(text, found))


@dataclass(slots=True)
class _Expansion:
    """Expands uses; each takes from what is left, so that no definition makes it run on."""

    macros: Mapping[str, str]
    growth: int
    left: int = field(init=False)
    _new: list[str] = field(default_factory=list)
    _said: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.left = self.growth

    def of(self, use: re.Match[str], around: tuple[str, ...]) -> str:
        """The text of one use; as written if it has none.

        Args:
            around: The macros in which it stands, outermost first.
        """
        name = use[1]
        value = self.macros.get(name)
        if value is None:
            return use[0]
        if name in around:
            circle = " -> ".join((*around[around.index(name) :], name))
            return self._kept(use[0], f"A macro contains itself: {circle}.")
        if len(around) == DEPTH:
            return self._kept(use[0], f"Macros stand in macros more than {DEPTH} deep at {name}.")
        if len(value) >= self.left:
            words = f"The macros make more than {self.growth} characters; the rest is not expanded."
            return self._kept(use[0], words)
        self.left -= len(value) + 1
        return _USE.sub(lambda inner: self.of(inner, (*around, name)), value)

    def news(self) -> list[str]:
        """The problems since the last call, each once."""
        new, self._new = self._new, []
        return new

    def _kept(self, use: str, words: str) -> str:
        if words not in self._said:
            self._said.add(words)
            self._new.append(words)
        return use


@dataclass(slots=True)
class _Condition:
    """A directive that tests, with those that belong to it."""

    test: re.Match[str]
    otherwise: re.Match[str] | None = None
    end: re.Match[str] | None = None

    def holds(self, macros: Mapping[str, str]) -> bool:
        return (self.test["name"] in macros) == (self.test["test"] == "ifdef")


def _chosen(
    text: str, macros: Mapping[str, str], problems: list[tuple[int, str]]
) -> list[tuple[int, int]]:
    """The pieces of a text that its conditions leave, without the directives."""
    roles = _paired(text, problems)
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


def _paired(text: str, problems: list[tuple[int, str]]) -> list[tuple[re.Match[str], _Condition]]:
    """The directives that belong together, in order, each with its condition."""
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
        words = "has no @endif" if directive["test"] else "stands without its @ifdef or @ifndef"
        problems.append((directive.start(), f"{directive[0]} {words}."))
    roles = [
        (directive, condition)
        for condition in closed
        for directive in (condition.test, condition.otherwise, condition.end)
        if directive
    ]
    return sorted(roles, key=lambda role: role[0].start())


def _extents(text: str, directives: list[re.Match[str]]) -> list[tuple[int, int]]:
    """What goes with each directive: its line, if nothing but directives stands there."""
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
