"""A text cut into its parts: frontmatter, document, preamble and cells."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from msgbook_format.syntax.fence import closes_fence, opens_fence
from msgbook_format.syntax.frontmatter import parse_frontmatter, section_name, split_frontmatter
from msgbook_format.syntax.lines import MAX_LEVEL, find_markers

# The message section of an ordinary Markdown file: everything below one heading.


_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")


def split_section(text: str, heading: str) -> tuple[str, str] | None:
    """Return `text` up to and including the last ATX heading `heading` outside fences, and the rest.

    Returns None if there is no such heading. The first part ends without a newline.
    """
    pattern = re.compile(rf" {{0,3}}#{{1,6}}[ \t]+{re.escape(heading)}[ \t]*(?:[ \t]#+[ \t]*)?\r?")
    fence = ""
    end = -1
    position = 0
    for line in text.split("\n"):
        if line:
            fence = _fence_after(line, fence)
            if not fence and pattern.fullmatch(line):
                end = position + len(line)
        position += len(line) + 1
    return None if end < 0 else (text[:end], text[end:])


def level_below(document: str) -> int:
    """Return the level of the first marker below the heading at the end of `document`."""
    heading = document.rpartition("\n")[2].lstrip(" ")
    return min(len(heading) - len(heading.lstrip("#")) + 1, MAX_LEVEL)


def append_section(document: str, heading: str) -> str:
    """Return `document` with the heading `heading` at its end, after any open fence, which is closed."""
    fence = ""
    for line in document.split("\n"):
        fence = _fence_after(line, fence)
    parts = [part for part in (document, fence, f"## {heading}") if part]
    return "\n\n".join(parts)


def _fence_after(line: str, fence: str) -> str:
    """Return the characters that close the fence that is open after `line`; empty without one."""
    match = _FENCE.match(line)
    if match is None:
        return fence
    run, info = match[1], match[2]
    if not fence:
        return run if opens_fence(run, info) else ""
    return "" if closes_fence(run, info, fence) else fence


# Parts of a text with the blank lines after them, and how they are joined again.


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


# A text cut into its parts. Put together again, the parts are the text.


BOM = "\ufeff"


@dataclass(slots=True, frozen=True)
class SplitCell:
    """One cell of a text: its head, and the output cells below it."""

    head: Segment
    outputs: Segment | None
    """All output cells in one segment; None if there are none."""
    is_orphan: bool = False
    """True if the head is an output cell (`# %%%`) above which no cell can have outputs."""


@dataclass(slots=True, frozen=True)
class SplitText:
    """The parts of a text, in their order."""

    bom: bool
    crlf: bool
    """True if every line ended with CRLF; the other parts then have LF."""
    lead: str
    """Blank lines at the start of a text without frontmatter."""
    frontmatter: Segment | None
    document: Segment | None
    """Text above the messages of an ordinary Markdown file, up to and including their heading."""
    preamble: Segment | None
    """Text of a message file before its first marker."""
    cells: list[SplitCell]


def split_text(text: str) -> SplitText:
    """Return the parts of any text."""
    bom = text.startswith(BOM)
    text = text.removeprefix(BOM)
    lines = text.count("\n")
    crlf = lines > 0 and text.count("\r\n") == lines == text.count("\r")
    if crlf:
        text = text.replace("\r\n", "\n")
    end = split_frontmatter(text)
    start = _first_line(text, end)
    frontmatter = Segment(text[:end], text[end:start]) if end else None
    lead = "" if end else text[:start]
    document = None
    heading = section_name(parse_frontmatter(text[:end])[0]) if end else None
    if heading is not None:
        parts = split_section(text[start:], heading)
        if parts is None:
            document, start = Segment.from_text(text[start:]), len(text)
        else:
            end = start + len(parts[0])
            start = _first_line(text, end)
            document = Segment(text[end - len(parts[0]) : end], text[end:start])
    before, cells = split_cells(text[start:] if start else text)
    return SplitText(
        bom=bom,
        crlf=crlf,
        lead=lead,
        frontmatter=frontmatter,
        document=document if document and document.core else None,
        preamble=Segment.from_text(before) if before else None,
        cells=cells,
    )


def split_cells(text: str) -> tuple[str, list[SplitCell]]:
    """Return the text before the first marker, and the cells from there on.

    Each output cell without a cell above it is an orphan, and a cell of its own.
    """
    starts: list[tuple[int, int]] = []
    orphans = -1
    for start, of_output in find_markers(text):
        if not of_output:
            if orphans < 0:
                orphans = len(starts)
            starts.append((start, -1))
        elif orphans < 0:
            starts.append((start, -1))
        elif starts[-1][1] < 0:
            starts[-1] = (starts[-1][0], start)
    if not starts:
        return text, []
    if orphans < 0:
        orphans = len(starts)
    ends = [start for start, _ in starts[1:]] + [len(text)]
    from_text = Segment.from_text
    cells = []
    for index, ((start, output), end) in enumerate(zip(starts, ends, strict=True)):
        if output < 0:
            cells.append(SplitCell(from_text(text[start:end]), None, index < orphans))
        else:
            cells.append(SplitCell(from_text(text[start:output]), from_text(text[output:end])))
    return text[: starts[0][0]], cells


def split_output_cells(text: str) -> list[str]:
    """Return the text of each `# %%%` cell; text before the first one is left out."""
    starts = [start for start, of_output in find_markers(text) if of_output]
    return [text[start:end] for start, end in pairwise([*starts, len(text)])]


def _first_line(text: str, start: int) -> int:
    """Return the position, from `start`, of the first line that is not blank, or of the end."""
    rest = text[start:] if start else text
    blanks = len(rest) - len(rest.lstrip(" \t\r\n"))
    return len(text) if blanks == len(rest) else start + rest.rfind("\n", 0, blanks) + 1
