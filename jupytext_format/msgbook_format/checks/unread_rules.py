"""Rules about footnotes and attributes in a spelling that is not read: what they hide is sent."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgbook_format.checks.checked_text import CheckedText, LocatedCell
from msgbook_format.checks.finding import Finding
from msgbook_format.checks.mark_words import has_only_attributes, says_history
from msgbook_format.checks.marker_rules import check_footnotes
from msgbook_format.syntax.attributes import parse_footnote
from msgbook_format.syntax.history_values import is_excluded

_SHOWN = 40
_TYPES = frozenset(("raw", "code", "markdown"))
"""Types that say what a cell is."""

# A label in brackets, of any width, at the start of a line, after signs of quotes and lists, escapes, or nothing.
_LABELLED = re.compile(
    r"^(?:\d{1,9}[.)])?[^\w\[\]\n%#]{0,20}[\[\uff3b]\\?\^?[ \t]*(?P<label>[^\s\[\]^\\\uff3b\uff3d]+)"
    r"[ \t]*\\?[\]\uff3d](?P<rest>[^\n]*)$",
    re.M,
)
_TYPE_OR_HISTORY = re.compile(r"\[[^\[\]=^\n]+\]|history", re.IGNORECASE)
_OWN_TYPE = re.compile(r"\s*\[[ \t]*(?:raw|code|markdown|nb|tool)[ \t]*\](?!\S)", re.IGNORECASE)
_TYPE = re.compile(r"\[[ \t]*(\w[^\[\]=^\n]*?)[ \t]*\]")
_FOOTNOTE_END = re.compile(
    r"[:\uff1a][ \t]*\[(?:raw|code|markdown)\](?=\s|\Z)|\A\s*[:\uff1a]\s*\Z", re.IGNORECASE
)
_RAW = re.compile(r"(?:\A|[\s:])\[[ \t]*raw[ \t]*\](?=\s|\[|\Z)", re.IGNORECASE)
_LABEL = re.compile(r"\[\^[ \t]*([^\s\[\]^]+)[ \t]*\]?[ \t]*[:\uff1a]*")
_COLONS = " \t\r:\uff1a"


def check_unread_footnotes(checked: CheckedText) -> Iterator[Finding]:
    """Yield lines that are nearly a footnote, where no footnote with their label is read.

    Those that are written like one are findings of `check_footnotes`.
    """
    found = [*_unlabelled_footnotes(checked), *_unread_footnotes(checked)]
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
        body = located.cell.body
        if _has_footnote(located) and "[" not in body and "\uff3b" not in body:
            continue
        number, counted = located.line, 0
        for line in _LABELLED.finditer(located.text):
            marker = labelled.get(line["label"].casefold())
            if not _is_unread(line, marker):
                continue
            number += located.text.count("\n", counted, line.start())
            counted = line.start()
            if marker is not None:
                yield _unread(number, marker, line["rest"])
                continue
            label = f"[^{line['label'][:_SHOWN]}]"
            yield Finding(
                number,
                "unread-footnote",
                "this line is read as text, so it hides nothing. No marker has its label: write a marker "
                f"that ends with `{label}`, and below it `{label}: [markdown] history=exclude` in one line",
            )


def _unlabelled_footnotes(checked: CheckedText) -> Iterator[Finding]:
    """Yield first lines below a marker that end like its footnote, and begin otherwise."""
    for located in checked.text_cells:
        if located.cell.label is None or _has_footnote(located):
            continue
        below = located.body_line - located.line
        first = "".join(located.text.split("\n", below + 1)[below : below + 1])
        is_mark = says_history(first) and has_only_attributes(first)
        if (is_mark or _FOOTNOTE_END.search(first)) and not first.lstrip().startswith("%"):
            yield _unread(located.body_line, located, first)


def _unread(number: int, marker: LocatedCell, rest: str) -> Finding:
    """Return a finding that a line is not the footnote of a marker."""
    given = _TYPE.search(rest)
    usual = {"output": "python", "block": marker.cell.type or "assistant"}
    type_ = given[1] if given else usual.get(marker.role, "markdown")
    is_history = "history" in rest.casefold() or says_history(rest)
    history = " history=exclude" if is_history else ""
    label = f"[^{(marker.cell.label or '')[:_SHOWN]}]"
    return Finding(
        number,
        "unread-footnote",
        "this line is read as text, so it hides nothing. To make it the footnote of the marker in line "
        f"{marker.line}, write `{label}: [{type_[:_SHOWN]}]{history}`",
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


def check_marks_in_markers(checked: CheckedText) -> Iterator[Finding]:
    """Yield markers with a mark on their own line, where it is part of the title."""
    for located in checked.text_cells:
        cell, history = located.cell, located.value("history")
        if cell.title is None or cell.type == "raw" or (history and is_excluded(history)):
            continue
        title = located.text.partition("\n")[0].strip("#% \t\r")
        found = _LABEL.search(title)
        parts = [title[: found.start()], title[found.end() :]] if found else [title]
        is_mark = any(says_history(part) and has_only_attributes(part) for part in parts)
        if not (is_mark or _RAW.search(title)):
            continue
        label = f"[^{found[1][:_SHOWN]}]" if found else "[^a]"
        mark = "[raw]" if _RAW.search(title) else "[markdown] history=exclude"
        where = "below the marker" if cell.label else f"below a marker that ends with `{label}`"
        message = f"this is read as the title, so it hides nothing. Write `{label}: {mark}` {where}"
        yield Finding(located.line, "unread-footnote", message)


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
    return says_history(rest) or (is_near and _is_mark(rest))


def _is_mark(rest: str) -> bool:
    """Return whether the rest of a line with a label is that of a footnote, and no prose."""
    words = rest.strip(_COLONS).casefold()
    if not words or words in _TYPES or says_history(rest) or _OWN_TYPE.match(rest.lstrip(_COLONS)):
        return True
    return _TYPE_OR_HISTORY.search(rest) is not None and has_only_attributes(rest)


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
