"""Footnotes that are not below their markers.

Markdown allows the definition of a footnote anywhere, and some writers gather them at the end. A
marker without a footnote below it takes the one with its label from wherever it is. Reading
puts such footnotes below their markers first, so that nothing else has to know of them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from msgbook_format.syntax.attributes import Attributes, parse_footnote
from msgbook_format.syntax.fence import closes_fence, opens_fence
from msgbook_format.syntax.lines import find_markers
from msgbook_format.syntax.split import BOM, Segment, SplitCell, SplitText
from msgbook_format.syntax.text_cell import find_footnote, is_restricted, parse_label

_OPEN = re.compile(
    r"#+ %%[^\n]*\[\^([^\s\[\]^]+)\][ \t\r]*+"
    r"(?:\Z|\n(?:[ \t\r]*+\n)*+(?!\[\^\1\]:[^\S\n]*+\[[^\[\]=\n]*\](?:\s|\Z)))"
)
"""A marker with a label, and no footnote with a type below it."""


@dataclass(slots=True, frozen=True)
class Opening:
    """A marker with a label and no footnote below it."""

    position: int
    """End of the marker's line in its text."""
    label: str
    footnote: Definition | None
    """Definition that belongs to the marker."""

    @property
    def line(self) -> str:
        """The footnote as a line below the marker."""
        return f"[^{self.label}]:{self.footnote.rest}" if self.footnote else ""


class Footnotes:
    """Footnotes of the markers in some texts that are not below them, but elsewhere in these texts."""

    def __init__(self, units: Sequence[str], above: str = "") -> None:
        """Find them.

        Args:
            units: Texts, each of which begins with a marker or has none.
            above: Text without cells, which may hold footnotes as well.
        """
        self._units = units
        self._above = above
        opened: list[list[tuple[int, str]]] = []
        found = list(find_definitions(above, -1, 0, len(above)))
        for index, unit in enumerate(units):
            markers = [start for start, _ in find_markers(unit)]
            here: list[tuple[int, str]] = []
            for start, end in pairwise([*(markers or [0]), len(unit)]):
                body, label = start, None
                if markers:
                    body, label = _open_label(unit, start, end)
                if label is not None:
                    here.append((body, label))
                found += find_definitions(unit, index, body, end)
            opened.append(here)
        exact, folded = _by_label(found)
        self.openings = [
            [
                Opening(position, label, exact.get(label) or folded.get(label.casefold()))
                for position, label in here
            ]
            for here in opened
        ]
        """Openings of each text."""
        used = {o.footnote for here in self.openings for o in here if o.footnote}
        self.above: list[Definition] = []
        """Definitions above the texts that belong to a marker."""
        self.held: list[list[Definition]] = [[] for _ in units]
        """Definitions in each text that belong to a marker of any text."""
        for definition in found:
            if definition in used:
                place = self.above if definition.unit < 0 else self.held[definition.unit]
                place.append(definition)

    def text_after(self, definition: Definition) -> str:
        """Return the text below a definition."""
        text = self._above if definition.unit < 0 else self._units[definition.unit]
        return text[definition.end :]

    def place(self, index: int, *, keep: Collection[Definition] = ()) -> str:
        """Return a text with the footnotes of its markers below them, and without all others.

        Args:
            keep: Definitions that stay where they are.
        """
        text = self._units[index]
        edits = [
            (opening.position, opening.position, f"\n\n{opening.line}")
            for opening in self.openings[index]
            if opening.footnote is not None and opening.footnote not in keep
        ]
        edits += [(d.start, d.end, "") for d in self.held[index] if d not in keep]
        headings = {d.heading for d in self.held[index]}
        headings -= {d.heading for d in self.held[index] if d in keep}
        edits += [(*heading, "") for heading in headings if heading is not None]
        if not edits:
            return text
        parts, position = [], 0
        for start, end, new in sorted(edits):
            parts += [text[position:start], new]
            position = end
        return Segment.from_text("".join([*parts, text[position:]])).core


def has_open_labels(text: str) -> bool:
    """Return whether a text may have a marker with a label and no footnote below it.

    This takes a fraction of the time that finding the footnotes takes.
    """
    return any(_OPEN.match(text, start) for start, _ in find_markers(text))


def place_footnotes(text: str, split: SplitText) -> tuple[SplitText, Footnotes | None]:
    """Return a text with each footnote below its marker, and where they stood; None if all did.

    Args:
        split: The parts of `text`.
    """
    if not has_open_labels(text.removeprefix(BOM)):
        return split, None
    units = [split.preamble.core if split.preamble else ""]
    for cell in split.cells:
        units += [cell.head.core, cell.outputs.core if cell.outputs else ""]
    found = Footnotes(units, split.document.core if split.document else "")
    if not any(opening.footnote for here in found.openings for opening in here):
        return split, None
    segments = [split.preamble]
    for cell in split.cells:
        segments += [cell.head, cell.outputs]
    placed = [
        None if segment is None else Segment(found.place(index), segment.gap)
        for index, segment in enumerate(segments)
    ]
    cells = [
        SplitCell(placed[2 * n + 1] or cell.head, placed[2 * n + 2], cell.is_orphan)
        for n, cell in enumerate(split.cells)
    ]
    parts = (split.bom, split.crlf, split.lead, split.frontmatter, split.document)
    return SplitText(*parts, placed[0], cells), found


def _by_label(found: list[Definition]) -> tuple[dict[str, Definition], dict[str, Definition]]:
    """Return the definition of each label, and of each label in lower case.

    Of several the first one counts, but one that keeps a cell from being sent goes first.
    """
    exact: dict[str, Definition] = {}
    folded: dict[str, Definition] = {}
    for definition in [*filter(hides_cell, found), *found]:
        exact.setdefault(definition.label, definition)
        folded.setdefault(definition.label.casefold(), definition)
    return exact, folded


def _open_label(text: str, start: int, end: int) -> tuple[int, str | None]:
    """Return where the body below a marker begins, and its label if there is no footnote there."""
    part = text[start:end]
    label = parse_label(part)
    footnote = None if label is None else find_footnote(part, label)
    if footnote is not None:
        return start + footnote[1], None
    return start + len(part.partition("\n")[0]), label


# Definitions of footnotes: the lines that are one wherever they stand. Pure.


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


def hides_cell(definition: Definition) -> bool:
    """Return whether a definition keeps something of its cell from being sent."""
    _, attributes = parse_footnote(definition.rest) or (None, [])
    return any(key == "history" and is_restricted(value) for key, value in attributes)


def is_definition(type_: str | None, attributes: Attributes) -> bool:
    """Return whether a line is a footnote of ours wherever it stands.

    An author's own footnote goes on with prose, as in `[Smith 2020] Bees, p. 4`; ours goes on with
    an attribute, after which badly quoted text counts as well. What hides a cell counts in any
    case: sending a hidden text is worse than losing a line of prose.
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
