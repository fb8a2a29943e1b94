"""Findings about the file as a whole: its bytes, its lines, its message section."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgbook_format.checks.checked_text import CheckedText
from msgbook_format.checks.finding import Finding
from msgbook_format.checks.lookalikes import find_lookalikes
from msgbook_format.syntax.section import split_section
from msgbook_format.syntax.split import BOM

_CONTROL = re.compile(r"\x00|\r(?!\n)")
_KEY = re.compile(r"^message_section:", re.M)
_CONFLICT = re.compile(r"^(<<<<<<<|\|\|\|\|\|\|\||=======|>>>>>>>)(?: [^\n]*)?\r?$", re.M)
_SHOWN = 40
"""Characters of a line that a message quotes."""

_NAMES = {"\x00": "NUL", "\r": "a carriage return"}


def bom(checked: CheckedText) -> Iterator[Finding]:
    """The file begins with a byte order mark."""
    if checked.split.bom:
        message = "the file begins with a byte order mark, which other tools take for text"
        yield Finding(1, "bom", message, fixable=not checked.text.startswith(BOM))


def mixed_line_ends(checked: CheckedText) -> Iterator[Finding]:
    """Some lines end with CRLF, others with LF."""
    pairs = checked.text.count("\r\n")
    if pairs in (0, checked.text.count("\n")):
        return
    first = "\r\n" if checked.text[checked.text.index("\n") - 1 :].startswith("\r\n") else "\n"
    odd = re.compile(r"(?<!\r)\n" if first == "\r\n" else r"\r\n").search(checked.text)
    assert odd is not None  # noqa: S101  # both kinds are there
    split = checked.split
    # The user's own text is kept to the byte.
    kept = checked.user + (split.document.core if split.document else "")
    fixable = "\r\r\n" not in checked.text and "\r" not in kept
    yield Finding(
        checked.text.count("\n", 0, odd.start()) + 1,
        "mixed-line-ends",
        f"{pairs} of {checked.text.count(chr(10))} lines end with CRLF, the others with LF; "
        "let all end with LF",
        fixable=fixable,
    )


def control_characters(checked: CheckedText) -> Iterator[Finding]:
    """A NUL, or a CR that ends no line."""
    number, counted, last = 1, 0, 0
    for match in _CONTROL.finditer(checked.text):
        number += checked.text.count("\n", counted, match.start())
        counted = match.start()
        if number != last:
            name = _NAMES[match[0]]
            message = f"{name} in the text: editors and git may change or refuse the file"
            yield Finding(number, "control-character", message)
        last = number


def conflict_marks(checked: CheckedText) -> Iterator[Finding]:
    """Lines that git puts into a file that it could not merge."""
    number, counted, opened = 1, 0, False
    for match in _CONFLICT.finditer(checked.text):
        number += checked.text.count("\n", counted, match.start())
        counted = match.start()
        if match[1] in ("<<<<<<<", ">>>>>>>"):
            opened = match[1] == "<<<<<<<"
        elif not opened:
            # Alone, this line makes a heading of the one above it.
            continue
        yield Finding(
            number,
            "conflict-mark",
            f"`{match[0].rstrip()[:_SHOWN]}` is a mark of git, which could not merge the file here: "
            "keep one side, or both, and delete the mark; if it is meant so, indent it",
        )


def message_section(checked: CheckedText) -> Iterator[Finding]:
    """The heading of the message section is missing, or something follows the section."""
    if checked.heading is None:
        return
    document = checked.split.document
    if document is not None and split_section(document.core, checked.heading) is not None:
        yield from _markers_above(checked, document.core)
        yield from _headings_below(checked, document.core)
        return
    frontmatter = checked.split.frontmatter
    key = _KEY.search(frontmatter.core) if frontmatter else None
    yield Finding(
        frontmatter.core.count("\n", 0, key.start()) + 1 if frontmatter and key else 1,
        "section-missing",
        f"there is no heading {checked.heading!r}, which `message_section` names: the file has no "
        f"messages; add `## {checked.heading}` where they begin, or delete the key: all of a `.msg.md` "
        "file is messages without it",
    )


def _markers_above(checked: CheckedText, document: str) -> Iterator[Finding]:
    for line in find_lookalikes(document, checked.document_line, has_marker=False).markers[:1]:
        yield Finding(
            line.number,
            "marker-above-section",
            f"`{line.text[:40]}` stands above the last heading {checked.heading!r}, "
            "below which the messages begin: it is no message, and no model is sent it",
        )


def _headings_below(checked: CheckedText, document: str) -> Iterator[Finding]:
    """Headings that end the section for every other reader of Markdown.

    Only in what a person wrote last: answers are full of headings of any level.
    """
    section = document.rpartition("\n")[2].lstrip(" ")
    level = len(section) - len(section.lstrip("#"))
    last = [checked.cells[0].head] if checked.cells else []
    if len(checked.cells) > 1 or (last and last[0].role != "preamble"):
        last = [checked.cells[-1].head] if not checked.cells[-1].below else []
    for located in last:
        for line in located.lookalikes.headings:
            if len(line.text) - len(line.text.lstrip("#")) <= level:
                yield Finding(
                    line.number,
                    "section-not-last",
                    f"the heading `{line.text[:40]}` stands below the message section, which is "
                    "the last of the file: it is read as text of the message above it; move it up",
                )
                return
