"""Parts of a text with the blank lines after them, and how they are joined again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(slots=True, frozen=True)
class Segment:
    """Part of a text and the blank lines after it; `core + gap` is that text."""

    core: str
    """Ends with the last line that is not blank."""
    gap: str
    """Blank lines only: empty, or beginning with a newline."""

    @classmethod
    def from_text(cls, text: str) -> Segment:
        """Return a text as a segment."""
        end = text.find("\n", len(text.rstrip(" \t\r\n")))
        return cls(text, "") if end < 0 else cls(text[:end], text[end:])


def join_segments(segments: Iterable[tuple[str, str | None]]) -> str:
    """Return the text of cores, each with the gap after it, or None for the usual gap."""
    segments = list(segments)
    parts = []
    for index, (core, gap) in enumerate(segments):
        last = index == len(segments) - 1
        parts.append(core)
        if gap is None or not (last or gap):
            gap = usual_gap(last)
        parts.append(gap if last else end_line(gap))
    return "".join(parts)


def end_line(blanks: str) -> str:
    """Return blank text with a newline at its end, unless it is empty."""
    return blanks if not blanks or blanks.endswith("\n") else f"{blanks}\n"


def usual_gap(last: bool) -> str:
    """Return the gap that a writer puts after a core: a blank line, or the end of the file."""
    return "\n" if last else "\n\n"
