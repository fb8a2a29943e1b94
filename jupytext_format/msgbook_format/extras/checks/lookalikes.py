"""Lines of one cell that look like structure: fences, footnotes, headings and near markers."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from msgbook_format.syntax.fence import closes_fence, opens_fence
from msgbook_format.syntax.lines import MARKER

_MARKER = re.compile(MARKER)
# Begins with a newline, since a pattern that begins with `^` would be tried at every character.
_LOOKALIKE = re.compile(
    r"\n(?: {0,3}(?P<run>`{3,}|~{3,})(?P<info>[^\n]*)"
    r"|(?P<near> {0,3}\\*#+[ \t]*%%[^\n]*)"
    r"| {0,3}\[\^(?P<label>[^\s\[\]^]+)\]:(?P<rest>[^\n]*)"
    r"|(?P<heading>#{1,6})[ \t]+(?P<text>[^\s%][^\n]*))$",
    re.M,
)
_LABEL = re.compile(r"\[\^([^\s\[\]^]+)\]$")


@dataclass(slots=True, frozen=True)
class Line:
    """A line with its number in the file, from 1."""

    number: int
    text: str


@dataclass(slots=True, frozen=True)
class FootnoteLine:
    """A line that is written like a footnote."""

    number: int
    label: str
    rest: str
    """Text after `[^label]:`."""
    is_first: bool
    """True if there are only blank lines between it and the marker."""


@dataclass(slots=True)
class Lookalikes:
    """Lines of one text that look like structure. All but fences are outside of fences."""

    near_markers: list[Line] = field(default_factory=list)
    """Content that looks like a marker."""
    markers: list[Line] = field(default_factory=list)
    """Content that is written like a marker, where none is allowed."""
    labels: set[str] = field(default_factory=set)
    """Labels of these lines, and of markers with a backslash: their footnotes are content too."""
    footnotes: list[FootnoteLine] = field(default_factory=list)
    headings: list[Line] = field(default_factory=list)
    first_fence: Line | None = None
    """First fence, as its backticks or tildes and its info string."""
    open_fence: Line | None = None
    """Fence that is open at the end, in the same form."""


_NOTHING = Lookalikes()
"""Shared by all texts without such lines; never modified."""


def find_lookalikes(text: str, number: int, *, has_marker: bool) -> Lookalikes:
    """Return the lines of `text` that look like structure.

    Args:
        number: Number of the first line of the text.
        has_marker: Whether the first line is the marker of the cell, which is not content.
    """
    found = _NOTHING
    if has_marker:
        _, newline, rest = text.partition("\n")
        content = newline + rest
    else:
        content = f"\n{text}"
        number -= 1
    counted = 0
    for match in _LOOKALIKE.finditer(content):
        if found is _NOTHING:
            found = Lookalikes()
        number += content.count("\n", counted, match.start() + 1)
        counted = match.start() + 1
        if match["run"]:
            _add_fence(found, Line(number, match["run"] + match["info"].strip(" \t\r")))
        elif found.open_fence is not None:
            continue
        elif match["near"]:
            _add_marker(found, Line(number, match["near"].rstrip()))
        elif match["label"]:
            is_first = not found.footnotes and not content[: match.start()].strip()
            footnote = FootnoteLine(number, match["label"], match["rest"].strip(), is_first)
            found.footnotes.append(footnote)
        else:
            found.headings.append(Line(number, match[0].strip()))
    return found


def fence_run(fence: str) -> str:
    """Return the backticks or tildes that a fence begins with."""
    return fence[: len(fence) - len(fence.lstrip(fence[0]))]


def closes(fence: str, opened: str) -> bool:
    """Return whether the fence `fence` closes the one that `opened` begins with."""
    run = fence_run(fence)
    return closes_fence(run, fence[len(run) :], fence_run(opened))


def _add_marker(found: Lookalikes, line: Line) -> None:
    found.labels.update(_LABEL.findall(line.text))
    if _MARKER.match(line.text):
        found.markers.append(line)
    elif "\\" not in line.text.partition("#")[0]:
        found.near_markers.append(line)


def _add_fence(found: Lookalikes, line: Line) -> None:
    if found.open_fence is not None:
        if closes(line.text, found.open_fence.text):
            found.open_fence = None
        return
    run = fence_run(line.text)
    if opens_fence(run, line.text[len(run) :]):
        found.open_fence = line
        found.first_fence = found.first_fence or line
