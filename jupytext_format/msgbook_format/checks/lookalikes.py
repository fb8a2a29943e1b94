"""The lines of one cell or output that look like structure: fences, footnotes, near markers."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

MARKER = re.compile(r"#{1,5} %%%?(?:[ \t\r]|$)")

_LOOKALIKE = re.compile(
    r"^(?: {0,3}(?P<run>`{3,}|~{3,})(?P<info>[^\n]*)"
    r"|(?P<near> {0,3}\\*#+[ \t]*%%[^\n]*)"
    r"|\[\^(?P<label>[^\s\[\]^]+)\]:(?P<tail>[^\n]*)"
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
class Note:
    """A line that is written like a footnote."""

    number: int
    label: str
    tail: str
    first: bool
    """Whether only blank lines stand between it and the marker."""


@dataclass(slots=True)
class Lines:
    """What one stretch of text holds; all but the fences stands outside of them."""

    near: list[Line] = field(default_factory=list)
    """Lines that look like a marker and are content."""
    markers: list[Line] = field(default_factory=list)
    """Lines that are written like a marker where none counts."""
    labels: set[str] = field(default_factory=set)
    """Labels of these lines, and of markers with a backslash: their footnotes are content too."""
    notes: list[Note] = field(default_factory=list)
    headings: list[Line] = field(default_factory=list)
    first_fence: Line | None = None
    """The first fence, as the characters it begins with and its info string."""
    open_fence: Line | None = None
    """The fence that is open at the end, likewise."""


_NOTHING = Lines()
"""What most stretches hold; nobody changes it."""


def scan_lines(text: str, number: int, *, marked: bool) -> Lines:
    """What the lines of `text` hold, whose first one has this number.

    `marked` says that the first line is the marker of what follows, not content.
    """
    start = (text.find("\n") + 1 or len(text)) if marked else 0
    if _LOOKALIKE.search(text, start) is None:
        return _NOTHING
    found = Lines()
    counted = 0
    for match in _LOOKALIKE.finditer(text, start):
        number += text.count("\n", counted, match.start())
        counted = match.start()
        if match["run"]:
            _take_fence(found, Line(number, match["run"] + match["info"].strip()))
        elif found.open_fence is not None:
            continue
        elif match["near"]:
            _take_marker(found, Line(number, match["near"].rstrip()))
        elif match["label"]:
            first = not found.notes and not text[start : match.start()].strip()
            found.notes.append(Note(number, match["label"], match["tail"].strip(), first))
        else:
            found.headings.append(Line(number, match[0].strip()))
    return found


def fence_run(fence: str) -> str:
    """The backticks or tildes that a fence begins with."""
    return fence[: len(fence) - len(fence.lstrip(fence[0]))]


def closes(fence: str, opened: str) -> bool:
    """Whether the fence `fence` closes the one that begins with `opened`."""
    run = fence_run(opened)
    return fence[0] == run[0] and len(fence) >= len(run) and fence_run(fence) == fence


def _take_marker(found: Lines, line: Line) -> None:
    found.labels.update(_LABEL.findall(line.text))
    if MARKER.match(line.text):
        found.markers.append(line)
    elif "\\" not in line.text.partition("#")[0]:
        found.near.append(line)


def _take_fence(found: Lines, line: Line) -> None:
    if found.open_fence is not None:
        if closes(line.text, found.open_fence.text):
            found.open_fence = None
        return
    run = fence_run(line.text)
    if run[0] == "`" and "`" in line.text[len(run) :]:
        return
    found.open_fence = line
    found.first_fence = found.first_fence or line
