"""Rules about the file as a whole: its bytes, its lines, its message section; and fixes for some of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from msgbook_format.document.reader import reads
from msgbook_format.extras.checks.checked_text import CheckedText, parse_for_checks
from msgbook_format.extras.checks.lookalikes import fence_run, find_lookalikes
from msgbook_format.extras.checks.marker_rules import check_fences
from msgbook_format.finding import Finding
from msgbook_format.jsontext import is_same
from msgbook_format.syntax.split import BOM, split_section

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


def check_cr_line_ends(checked: CheckedText) -> Iterator[Finding]:
    """Yield a finding if CRs alone are where line ends should be."""
    if ends_lines_with_cr(checked.text):
        message = (
            "all lines end with a carriage return (CR) alone, so the file is read as one line and "
            "has no messages. End all lines with LF."
        )
        yield Finding(1, "cr-line-ends", message)


def ends_lines_with_cr(text: str) -> bool:
    """Return whether a text of several lines has no line end that is one here."""
    return "\n" not in text.removesuffix("\n") and "\r" in text.rstrip("\r\n")


def check_control_characters(checked: CheckedText) -> Iterator[Finding]:
    """Yield lines with a NUL, or with a CR that does not end the line."""
    if ends_lines_with_cr(checked.text):
        return
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


# Fixes that do not change the notebook which a text holds.


def fix(text: str) -> str:
    """Return `text` without its fixable findings.

    Aside from verbatim bits, `reads` gives an equal notebook. Fixed are a byte order mark, line
    ends that mix CRLF and LF, and an open fence of a `[code]` cell.
    """
    for fix_one in (_drop_bom, _even_line_ends, _close_fences):
        fixed = fix_one(text)
        if fixed != text and is_same_notebook(text, fixed):
            text = fixed
    return text


def _drop_bom(text: str) -> str:
    fixable = any(finding.fixable for finding in check_bom(parse_for_checks(text)))
    return text.removeprefix(BOM) if fixable else text


def _even_line_ends(text: str) -> str:
    fixable = any(finding.fixable for finding in check_mixed_line_ends(parse_for_checks(text)))
    return text.replace("\r\n", "\n") if fixable else text


def _close_fences(text: str) -> str:
    checked = parse_for_checks(text)
    open_lines = {finding.line for finding in check_fences(checked) if finding.fixable}
    if not open_lines:
        return text
    lines = text.split("\n")
    for located in reversed(checked.text_cells):
        fence = located.lookalikes.open_fence if located.role == "code" else None
        if fence is not None and fence.number in open_lines:
            end = located.line + located.text.count("\n")
            cr = "\r" if lines[end - 1].endswith("\r") else ""
            lines.insert(end, fence_run(fence.text) + cr)
    return "\n".join(lines)


def is_same_notebook(left: str, right: str) -> bool:
    """Return whether two texts hold the same notebook, aside from verbatim bits."""
    return is_same(_without_bits(reads(left)), _without_bits(reads(right)))


def _without_bits(notebook: dict[str, Any]) -> dict[str, Any]:
    """Remove the verbatim bits of a notebook, in place, and return it."""
    for node in (notebook, *notebook["cells"]):
        msgbook = node["metadata"].get("msgbook")
        if isinstance(msgbook, dict) and msgbook.pop("text", None) is not None and not msgbook:
            del node["metadata"]["msgbook"]
    return notebook
