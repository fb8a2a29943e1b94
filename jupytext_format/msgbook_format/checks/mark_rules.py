"""Rules about footnotes and attributes in a spelling that is not read: what they hide is sent."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgbook_format.checks.checked_text import CheckedText, LocatedCell
from msgbook_format.checks.finding import Finding
from msgbook_format.checks.marker_rules import check_footnotes
from msgbook_format.syntax.attributes import parse_footnote

_SHOWN = 40
_TYPES = frozenset(("raw", "code", "markdown"))
"""Types that say what a cell is."""

# A label in brackets at the start of a line, behind signs of quotes and lists, escapes, or nothing.
_LABELLED = re.compile(
    r"^[ \t>*+\\-]*\[\\?\^?[ \t]*(?P<label>[^\s\[\]^\\]+)[ \t]*\\?\](?P<rest>[^\n]*)$", re.M
)
_TYPE_OR_HISTORY = re.compile(r"\[[^\[\]=^\n]+\]|history", re.IGNORECASE)
_HISTORY = re.compile(r"\bhistory[\"']?\s*[=:]\s*[\"'\w]", re.IGNORECASE)
_COLONS = " \t\r:\uff1a"


def check_unread_footnotes(checked: CheckedText) -> Iterator[Finding]:
    """Yield lines that are nearly a footnote, where no footnote with their label is read.

    Those that are written like one are findings of `check_footnotes`.
    """
    found = list(_unread_footnotes(checked))
    known = {finding.line for finding in check_footnotes(checked)} if found else set()
    yield from (finding for finding in found if finding.line not in known)


def _unread_footnotes(checked: CheckedText) -> Iterator[Finding]:
    labelled = {
        located.cell.label.casefold(): located
        for located in checked.text_cells
        if located.cell.label is not None
    }
    bare = any(not _has_footnote(located) for located in labelled.values())
    for located in checked.text_cells:
        if not bare and _HISTORY.search(located.cell.body) is None:
            continue
        for line in _LABELLED.finditer(located.text):
            marker = labelled.get(line["label"].casefold())
            if not _is_unread(line["rest"], marker):
                continue
            label = f"[^{(marker.cell.label or '' if marker else line['label'])[:_SHOWN]}]"
            where = f"the marker `{label}` in line {marker.line}" if marker else "any marker"
            yield Finding(
                located.line + located.text.count("\n", 0, line.start()),
                "unread-footnote",
                f"this is content, not the footnote of {where}: write a marker that ends with "
                f"`{label}`, and below it `{label}: [type] key=value` in one line",
            )


def check_wrapped_footnotes(checked: CheckedText) -> Iterator[Finding]:
    """Yield footnotes whose attributes go on in the next line, where they are content."""
    for located in checked.text_cells:
        first = located.cell.body.partition("\n")[0].strip() if _has_footnote(located) else ""
        if not re.match(r"\[?\w+=", first):
            continue
        type_, attributes = parse_footnote(first) or (None, [])
        if type_ is None and any(key == "history" for key, _ in attributes):
            yield Finding(
                located.footnote_line,
                "unread-footnote",
                f"`{first[:_SHOWN]}` in the next line is content: write the footnote in one line",
            )


def check_misspelled_marks(checked: CheckedText) -> Iterator[Finding]:
    """Yield attributes and types that are nearly those that hide a text."""
    for located in checked.text_cells:
        for key, value in located.cell.attributes:
            if "history" in key.casefold() and (key != "history" or value is True):
                message = f"`{key[:_SHOWN]}` hides nothing: expected `history=exclude`"
                yield Finding(located.footnote_line, "misspelled-mark", message)
        type_ = located.cell.type
        if type_ is not None and type_ not in _TYPES and type_.casefold() in _TYPES:
            message = f"`[{type_}]` is a type of your own: expected `[{type_.casefold()}]`"
            yield Finding(located.footnote_line, "misspelled-mark", message)


def _has_footnote(located: LocatedCell) -> bool:
    return located.cell.type is not None or bool(located.cell.attributes)


def _is_unread(rest: str, marker: LocatedCell | None) -> bool:
    """Return whether the text behind a label would be a footnote's, and none is read."""
    if marker is None:
        return _HISTORY.search(rest) is not None
    words = rest.strip(_COLONS).casefold()
    is_mark = not words or words in _TYPES or _TYPE_OR_HISTORY.search(rest) is not None
    return is_mark and not _has_footnote(marker)
