"""Lines of the footnotes that are not below their markers."""

from __future__ import annotations

from operator import itemgetter

from msgbook_format.checks.lookalikes import FootnoteLine
from msgbook_format.syntax.definitions import Definition
from msgbook_format.syntax.footnotes import Footnotes, Opening
from msgbook_format.syntax.segments import Segment
from msgbook_format.syntax.split import SplitText


def find_footnote_lines(
    split: SplitText, footnotes: Footnotes, line: int
) -> dict[int, FootnoteLine]:
    """Return the footnotes that are not below their markers, by the lines of these.

    Args:
        line: First line of the text above the message section.
    """
    segments = [split.document, split.preamble]
    for cell in split.cells:
        segments += [cell.head, cell.outputs]
    found: dict[int, Definition] = {}
    numbers: dict[Definition, int] = {}
    for unit, segment in enumerate(segments, -1):
        text = segment.core if segment else ""
        here = footnotes.above if unit < 0 else footnotes.held[unit]
        openings = footnotes.openings[unit] if unit >= 0 else []
        marks: list[tuple[int, Definition | Opening]] = [(d.start, d) for d in here]
        marks += [(opening.position, opening) for opening in openings if opening.footnote]
        counted, number = 0, line
        for position, mark in sorted(marks, key=itemgetter(0)):
            number += text.count("\n", counted, position)
            counted = position
            if isinstance(mark, Definition):
                numbers[mark] = number
            elif mark.footnote is not None:
                found[number] = mark.footnote
        line += count_lines(segment)
    return {
        number: FootnoteLine(numbers[d], d.label, d.rest.strip(), is_first=False)
        for number, d in found.items()
    }


def count_lines(segment: Segment | None) -> int:
    """Return the number of lines of a segment with the blank lines after it."""
    return segment.core.count("\n") + segment.gap.count("\n") if segment else 0
