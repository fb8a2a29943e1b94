"""Rules about the file as a whole: its bytes, its lines, its message section."""

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

_NAMES = {"\x00": "a NUL character", "\r": "a carriage return (CR)"}


def check_bom(checked: CheckedText) -> Iterator[Finding]:
    """Yield a finding if the file begins with a byte order mark."""
    if checked.split.bom:
        message = "the file begins with a byte order mark, which other tools read as text"
        yield Finding(1, "bom", message, fixable=not checked.text.startswith(BOM))


def check_mixed_line_ends(checked: CheckedText) -> Iterator[Finding]:
    """Yield a finding if some lines end with CRLF and others with LF."""
    pairs = checked.text.count("\r\n")
    if pairs in (0, checked.text.count("\n")):
        return
    first = "\r\n" if checked.text[checked.text.index("\n") - 1 :].startswith("\r\n") else "\n"
    other = re.compile(r"(?<!\r)\n" if first == "\r\n" else r"\r\n").search(checked.text)
    assert other is not None  # noqa: S101  # both kinds are there
    split = checked.split
    # The user's own text stays byte for byte.
    kept = checked.user + (split.document.core if split.document else "")
    fixable = "\r\r\n" not in checked.text and "\r" not in kept
    yield Finding(
        checked.text.count("\n", 0, other.start()) + 1,
        "mixed-line-ends",
        f"{pairs} of {checked.text.count(chr(10))} lines end with CRLF, the others with LF. "
        "End all lines with LF.",
        fixable=fixable,
    )


def check_control_characters(checked: CheckedText) -> Iterator[Finding]:
    """Yield lines with a NUL, or with a CR that does not end the line."""
    number, counted, last = 1, 0, 0
    for match in _CONTROL.finditer(checked.text):
        number += checked.text.count("\n", counted, match.start())
        counted = match.start()
        if number != last:
            name = _NAMES[match[0]]
            message = f"the line contains {name}: editors and git may change or reject the file"
            yield Finding(number, "control-character", message)
        last = number


def check_conflict_marks(checked: CheckedText) -> Iterator[Finding]:
    """Yield conflict marks: lines that git writes into a file that it could not merge."""
    number, counted, opened = 1, 0, False
    for match in _CONFLICT.finditer(checked.text):
        number += checked.text.count("\n", counted, match.start())
        counted = match.start()
        if match[1] in ("<<<<<<<", ">>>>>>>"):
            opened = match[1] == "<<<<<<<"
        elif not opened:
            # Without the other marks, this line makes a heading of the line above it.
            continue
        yield Finding(
            number,
            "conflict-mark",
            f"`{match[0].rstrip()[:_SHOWN]}` is a conflict mark of git, which could not merge the file "
            "here. Keep one side or both, and delete the mark. If it is part of your text, indent it.",
        )


def check_message_section(checked: CheckedText) -> Iterator[Finding]:
    """Yield a missing heading of the message section, and what is outside of the section."""
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
        f"`message_section` names the heading {checked.heading!r}, but the file has none, so it has no "
        f"messages. Add `## {checked.heading}` where they begin. In a `.msg.md` file you can also "
        "delete the key: then all of the file is messages.",
    )


def _markers_above(checked: CheckedText, document: str) -> Iterator[Finding]:
    for line in find_lookalikes(document, checked.document_line, has_marker=False).markers[:1]:
        yield Finding(
            line.number,
            "marker-above-section",
            f"`{line.text[:40]}` is above the last heading {checked.heading!r}, where the messages "
            "begin. It is not a message and is never sent to a model.",
        )


def _headings_below(checked: CheckedText, document: str) -> Iterator[Finding]:
    """Yield the first heading that ends the section for other readers of Markdown.

    Only the last text of a person is checked: answers are full of headings of any level.
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
                    f"the heading `{line.text[:40]}` is below the heading of the message section, which "
                    "is the last section of the file. It is read as part of the message above it. "
                    "Move it above the section.",
                )
                return
