"""A document as the stretches it is made of, and back; nothing here has a meaning yet."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from msgbook_format.syntax.frontmatter import parse_frontmatter, section_name, split_frontmatter
from msgbook_format.syntax.section import split_section
from msgbook_format.syntax.text_cell import Group, Segment, split_cells

BOM = "\ufeff"


@dataclass(slots=True, frozen=True)
class Layout:
    """The stretches of a text in their order; put together they are the text."""

    bom: bool
    crlf: bool
    """Whether every line ended with CRLF; the other parts have LF then."""
    lead: str
    """Blank lines at the start, where there is no frontmatter."""
    frontmatter: Segment | None
    document: Segment | None
    """What stands above the messages of an ordinary Markdown file, with their heading."""
    preamble: Segment | None
    """Text of a message file before its first marker."""
    groups: list[Group]


def split_text(text: str) -> Layout:
    """The layout of any text."""
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
            document, start = Segment.of(text[start:]), len(text)
        else:
            end = start + len(parts[0])
            start = _first_line(text, end)
            document = Segment(text[end - len(parts[0]) : end], text[end:start])
    before, groups = split_cells(text[start:] if start else text)
    return Layout(
        bom=bom,
        crlf=crlf,
        lead=lead,
        frontmatter=frontmatter,
        document=document if document and document.core else None,
        preamble=Segment.of(before) if before else None,
        groups=groups,
    )


def join_segments(segments: Iterable[tuple[str, str | None]]) -> str:
    """Text of stretches, each with the gap behind it or None for the usual one."""
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
    """Blanks that something can follow at the start of a line."""
    return blanks if not blanks or blanks.endswith("\n") else f"{blanks}\n"


def usual_gap(last: bool) -> str:
    """What stands behind a stretch: a blank line, or the newline that ends the file."""
    return "\n" if last else "\n\n"


def _first_line(text: str, start: int) -> int:
    """Position from `start` of the first line that is not blank; the end without one."""
    rest = text[start:] if start else text
    blanks = len(rest) - len(rest.lstrip(" \t\r\n"))
    return len(text) if blanks == len(rest) else start + rest.rfind("\n", 0, blanks) + 1
