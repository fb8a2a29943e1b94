"""Rules about footnotes and attributes in a spelling that is not read: what they hide is sent."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgbook_format.checks.checked_text import CheckedText, LocatedCell
from msgbook_format.checks.finding import Finding
from msgbook_format.checks.marker_rules import check_footnotes
from msgbook_format.syntax.attributes import parse_footnote
from msgbook_format.syntax.dialect import MSG_MAGIC

_SHOWN = 40
_TYPES = frozenset(("raw", "code", "markdown"))
"""Types that say what a cell is."""

# A label in brackets at the start of a line, after signs of quotes and lists, escapes, or nothing.
_LABELLED = re.compile(
    r"^(?:\d{1,9}[.)])?[^\w\[\]\n%#]{0,20}\[\\?\^?[ \t]*(?P<label>[^\s\[\]^\\]+)[ \t]*\\?\](?P<rest>[^\n]*)$",
    re.M,
)
_TYPE_OR_HISTORY = re.compile(r"\[[^\[\]=^\n]+\]|history", re.IGNORECASE)
_HISTORY = re.compile(r"\bhistory[\"']?\s*[=:]\s*[\"'\w]", re.IGNORECASE)
_FOOTNOTE_END = re.compile(
    rf"{_HISTORY.pattern}|[:\uff1a][ \t]*\[(?:raw|code|markdown)\](?=\s|\Z)|\A\s*[:\uff1a]\s*\Z",
    re.IGNORECASE,
)
_COLONS = " \t\r:\uff1a"


def check_unread_footnotes(checked: CheckedText) -> Iterator[Finding]:
    """Yield lines that are nearly a footnote, where no footnote with their label is read.

    Those that are written like one are findings of `check_footnotes`.
    """
    found = [*_unread_footnotes(checked), *_unlabelled_footnotes(checked)]
    known = {finding.line for finding in check_footnotes(checked)} if found else set()
    for finding in found:
        if finding.line not in known:
            known.add(finding.line)
            yield finding


def _unread_footnotes(checked: CheckedText) -> Iterator[Finding]:
    labelled = {
        located.cell.label.casefold(): located
        for located in checked.text_cells
        if located.cell.label is not None
    }
    for located in checked.text_cells:
        if _has_footnote(located) and "[" not in located.cell.body:
            continue
        number, counted = located.line, 0
        for line in _LABELLED.finditer(located.text):
            marker = labelled.get(line["label"].casefold())
            if not _is_unread(line, marker):
                continue
            label = f"[^{(marker.cell.label or '' if marker else line['label'])[:_SHOWN]}]"
            where = f"the marker `{label}` in line {marker.line}" if marker else "any marker"
            number += located.text.count("\n", counted, line.start())
            counted = line.start()
            yield Finding(
                number,
                "unread-footnote",
                f"this is content, not the footnote of {where}: write a marker that ends with "
                f"`{label}`, and below it `{label}: [type] key=value` in one line",
            )


def _unlabelled_footnotes(checked: CheckedText) -> Iterator[Finding]:
    """Yield first lines below a marker that end like its footnote, and begin otherwise."""
    for located in checked.text_cells:
        if located.cell.label is None or _has_footnote(located):
            continue
        below = located.body_line - located.line
        first = "".join(located.text.split("\n", below + 1)[below : below + 1])
        if _FOOTNOTE_END.search(first) and not first.startswith(MSG_MAGIC):
            label = f"[^{located.cell.label[:_SHOWN]}]"
            yield Finding(
                located.body_line,
                "unread-footnote",
                f"this is content, not the footnote of the marker `{label}` in line {located.line}: "
                f"begin it with `{label}: [type]`",
            )


def check_wrapped_footnotes(checked: CheckedText) -> Iterator[Finding]:
    """Yield footnotes whose attributes go on in the next line, where they are content."""
    lines = checked.text.split("\n") if checked.footnote_lines else []
    for located in checked.text_cells:
        first = located.cell.body.partition("\n")[0].strip() if _has_footnote(located) else ""
        if located.elsewhere is not None:
            first = "".join(lines[located.footnote_line : located.footnote_line + 1]).strip()
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


def _is_unread(line: re.Match[str], marker: LocatedCell | None) -> bool:
    """Return whether a line would be a footnote, and none is read for its label."""
    rest = line["rest"]
    if marker is not None:
        return _is_mark(rest) and not _has_footnote(marker)
    above = _line_above(line)
    is_near = "%%" in above and line["label"].casefold() in above.casefold()
    if is_near and "\\" in above.partition("#")[0]:
        # A person says that this marker is content, and so is what belongs to it.
        return False
    return _HISTORY.search(rest) is not None or (is_near and _is_mark(rest))


def _is_mark(rest: str) -> bool:
    words = rest.strip(_COLONS).casefold()
    return not words or words in _TYPES or _TYPE_OR_HISTORY.search(rest) is not None


def _line_above(line: re.Match[str]) -> str:
    """Return the line above, or the one above up to three blank ones."""
    text, end = line.string, line.start() - 1
    for _ in range(4):
        start = text.rfind("\n", 0, max(end, 0)) + 1
        above = text[start : max(end, 0)].strip()
        if above:
            return above
        end = start - 1
    return ""
