"""Definitions of footnotes: the lines that are one wherever they stand. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from msgbook_format.syntax.attributes import Attributes, parse_footnote
from msgbook_format.syntax.fence import closes_fence, opens_fence
from msgbook_format.syntax.history_values import is_restricted

_LINE = re.compile(
    r"^ {0,3}(?:(?P<run>`{3,}|~{3,})(?P<info>[^\n]*)"
    r"|(?:(?P<heading><!-- Footnotes -->)[ \t\r]*|\[\^(?P<label>[^\s\[\]^]+)\]:(?P<rest>[^\n]*))"
    r"(?:\n(?:[ \t\r]*\n)*|\Z))",
    re.M,
)
HEADING = "<!-- Footnotes -->"
"""Line that some writers put above the footnotes that they gather. It belongs to these."""
_PLAIN_KEY = re.compile(r"[\w.-]+")
_FLAGS = frozenset(("unfinished", "refusal"))
"""Flags that the format knows."""


@dataclass(slots=True, frozen=True)
class Definition:
    """A footnote that is not directly below a marker with its label."""

    unit: int
    """Index of the text that it is in; -1 for the text above all of them."""
    start: int
    end: int
    """End of the blank lines after it."""
    label: str
    rest: str
    """Text after `[^label]:`."""
    heading: tuple[int, int] | None = None
    """Start and end of the line `HEADING` above the footnotes that it is one of, with its blank lines."""

    @property
    def line(self) -> str:
        """The line without its end."""
        return f"[^{self.label}]:{self.rest}"


def find_definitions(text: str, unit: int, start: int, end: int) -> Iterator[Definition]:
    """Yield the definitions in `text[start:end]` that are outside of closed fences."""
    for first, last in _unfenced(text, start, end):
        yield from _definitions(text, unit, first, last)


def hides(definition: Definition) -> bool:
    """Return whether a definition keeps something of its cell from being sent."""
    _, attributes = parse_footnote(definition.rest) or (None, [])
    return any(key == "history" and is_restricted(value) for key, value in attributes)


def is_definition(type_: str | None, attributes: Attributes) -> bool:
    """Return whether a line is a footnote of ours wherever it stands.

    An author's own footnote goes on with prose, as in `[Smith 2020] Bees, p. 4`; ours goes on with
    an attribute, after which badly quoted text counts as well. What hides a cell counts in any
    case: a hidden text is worse sent than a line of prose is lost.
    """
    if type_ == "raw" or any(key == "history" for key, _ in attributes):
        return True
    if type_ is None:
        return False
    for key, value in attributes:
        if value is not True:
            return bool(_PLAIN_KEY.fullmatch(key))
        if key not in _FLAGS:
            return False
    return True


def _definitions(text: str, unit: int, start: int, end: int) -> Iterator[Definition]:
    heading, above = None, -1
    for match in _LINE.finditer(text, start, end):
        if match["heading"]:
            heading, above = match.span(), match.end()
        elif match["label"]:
            rest = match["rest"].rstrip("\r")
            parsed = parse_footnote(rest)
            if parsed is not None and is_definition(*parsed):
                heading = heading if above == match.start() else None
                above = match.end()
                yield Definition(unit, *match.span(), match["label"], rest, heading)


def _unfenced(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the stretches of `text[start:end]` that are outside of closed fences."""
    fences = [m for m in _LINE.finditer(text, start, end) if m["run"]]
    longest: list[dict[str, int]] = [{}]
    for match in reversed(fences):
        after = dict(longest[-1])
        if closes_fence(match["run"], match["info"], match["run"]):
            after[match["run"][0]] = max(after.get(match["run"][0], 0), len(match["run"]))
        longest.append(after)
    longest.reverse()
    opened = ""
    for index, match in enumerate(fences):
        run, info = match["run"], match["info"]
        if opened:
            if closes_fence(run, info, opened):
                opened, start = "", match.end()
        elif opens_fence(run, info) and longest[index + 1].get(run[0], 0) >= len(run):
            yield start, match.start()
            opened = run
    yield start, end
