"""Findings about the file as a whole: its bytes, its lines, its message section."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgbook_format.checks.finding import Finding
from msgbook_format.checks.lines import scan_lines
from msgbook_format.checks.view import View
from msgbook_format.layout import BOM
from msgbook_format.section import split_section

_CONTROL = re.compile(r"\x00|\r(?!\n)")
_KEY = re.compile(r"^message_section:", re.M)
_NAMES = {"\x00": "NUL", "\r": "a carriage return"}


def bom(view: View) -> Iterator[Finding]:
    """The file begins with a byte order mark."""
    if view.layout.bom:
        message = "the file begins with a byte order mark, which other tools take for text"
        yield Finding(1, "bom", message, fixable=not view.text.startswith(BOM))


def mixed_line_ends(view: View) -> Iterator[Finding]:
    """Some lines end with CRLF, others with LF."""
    pairs = view.text.count("\r\n")
    if pairs in (0, view.text.count("\n")):
        return
    first = "\r\n" if view.text[view.text.index("\n") - 1 :].startswith("\r\n") else "\n"
    odd = re.compile(r"(?<!\r)\n" if first == "\r\n" else r"\r\n").search(view.text)
    assert odd is not None  # noqa: S101  # both kinds are there
    layout = view.layout
    # The user's own text is kept to the byte.
    kept = view.user + (layout.document.core if layout.document else "")
    fixable = "\r\r\n" not in view.text and "\r" not in kept
    yield Finding(
        view.text.count("\n", 0, odd.start()) + 1,
        "mixed-line-ends",
        f"{pairs} of {view.text.count(chr(10))} lines end with CRLF, the others with LF; "
        "let all end with LF",
        fixable=fixable,
    )


def control_characters(view: View) -> Iterator[Finding]:
    """A NUL, or a CR that ends no line."""
    number, counted, last = 1, 0, 0
    for match in _CONTROL.finditer(view.text):
        number += view.text.count("\n", counted, match.start())
        counted = match.start()
        if number != last:
            name = _NAMES[match[0]]
            message = f"{name} in the text: editors and git may change or refuse the file"
            yield Finding(number, "control-character", message)
        last = number


def message_section(view: View) -> Iterator[Finding]:
    """The heading of the message section is missing, or something follows the section."""
    if view.heading is None:
        return
    document = view.layout.document
    if document is not None and split_section(document.core, view.heading) is not None:
        yield from _markers_above(view, document.core)
        yield from _headings_below(view, document.core)
        return
    frontmatter = view.layout.frontmatter
    key = _KEY.search(frontmatter.core) if frontmatter else None
    yield Finding(
        frontmatter.core.count("\n", 0, key.start()) + 1 if frontmatter and key else 1,
        "section-missing",
        f"there is no heading {view.heading!r}, which `message_section` names: the file has no "
        f"messages; add `## {view.heading}` where they begin",
    )


def _markers_above(view: View, document: str) -> Iterator[Finding]:
    for line in scan_lines(document, view.document_line, marked=False).markers[:1]:
        yield Finding(
            line.number,
            "marker-above-section",
            f"`{line.text[:40]}` stands above the last heading {view.heading!r}, "
            "below which the messages begin: it is no message",
        )


def _headings_below(view: View, document: str) -> Iterator[Finding]:
    """Headings that end the section for every other reader of Markdown.

    Only in what a person wrote last: answers are full of headings of any level.
    """
    section = document.rpartition("\n")[2].lstrip(" ")
    level = len(section) - len(section.lstrip("#"))
    last = [view.cells[0].head] if view.cells else []
    if len(view.cells) > 1 or (last and last[0].role != "preamble"):
        last = [view.cells[-1].head] if not view.cells[-1].below else []
    for mark in last:
        for line in mark.lines.headings:
            if len(line.text) - len(line.text.lstrip("#")) <= level:
                yield Finding(
                    line.number,
                    "section-not-last",
                    f"the heading `{line.text[:40]}` stands below the message section, which is "
                    "the last of the file: it is read as text of the message above it; move it up",
                )
                return
