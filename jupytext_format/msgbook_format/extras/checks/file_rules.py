"""Rules about the file as a whole, about markers, attributes, ids, fences and footnotes; and fixes for some of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from msgbook_format.document.reader import reads
from msgbook_format.extras.checks import findings
from msgbook_format.extras.checks.checked_text import CheckedText, LocatedCell, parse_for_checks
from msgbook_format.extras.checks.lookalikes import Line, closes, fence_run, find_lookalikes
from msgbook_format.finding import Finding
from msgbook_format.jsontext import is_same
from msgbook_format.syntax.split import BOM, split_section
from msgbook_format.syntax.unread_footnotes import list_stray_footnotes, says_history, shown
from msgbook_format.turn.kinds import TOOL_CALLS
from msgbook_format.turn.output_cells.blocks import cell_kind

_CONTROL = re.compile(r"\x00|\r(?!\n)")
_KEY = re.compile(r"^message_section:", re.M)
_CONFLICT = re.compile(r"^(<<<<<<<|\|\|\|\|\|\|\||=======|>>>>>>>)(?: [^\n]*)?\r?$", re.M)
_SHOWN = 40
"""Characters of a line that a message quotes."""

_NAMES = {"\x00": "a NUL character", "\r": "a carriage return (CR)"}


def check_bom(checked: CheckedText) -> Iterator[Finding]:
    """Yield a finding if the file begins with a byte order mark."""
    if checked.split.bom:
        yield findings.BOM.at(1, fixable=not checked.text.startswith(BOM))


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
    number = checked.text.count("\n", 0, other.start()) + 1
    yield findings.MIXED_LINE_ENDS.at(
        number, fixable=fixable, pairs=pairs, lines=checked.text.count("\n")
    )


def check_cr_line_ends(checked: CheckedText) -> Iterator[Finding]:
    """Yield a finding if CRs alone are where line ends should be."""
    if ends_lines_with_cr(checked.text):
        yield findings.CR_LINE_ENDS.at(1)


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
            yield findings.CONTROL_CHARACTER.at(number, character=_NAMES[match[0]])
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
        yield findings.CONFLICT_MARK.at(number, line=match[0].rstrip()[:_SHOWN])


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
    number = frontmatter.core.count("\n", 0, key.start()) + 1 if frontmatter and key else 1
    yield findings.SECTION_MISSING.at(number, heading=checked.heading)


def _markers_above(checked: CheckedText, document: str) -> Iterator[Finding]:
    for line in find_lookalikes(document, checked.document_line, has_marker=False).markers[:1]:
        shown_line = line.text[:_SHOWN]
        yield findings.MARKER_ABOVE_SECTION.at(
            line.number, line=shown_line, heading=checked.heading
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
                yield findings.SECTION_NOT_LAST.at(line.number, line=line.text[:_SHOWN])
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


# Markers, attributes, ids and fences.


def check_near_markers(checked: CheckedText) -> Iterator[Finding]:
    """Yield content that looks like a marker."""
    for located in checked.text_cells:
        for line in located.lookalikes.near_markers if located.is_prose else ():
            yield findings.NEAR_MARKER.at(line.number, line=line.text.strip()[:_SHOWN])


def check_orphan_outputs(checked: CheckedText) -> Iterator[Finding]:
    """Yield `# %%%` lines where no cell can have outputs."""
    for cell in checked.cells:
        if cell.head.role == "orphan":
            marker = cell.head.text.partition("\n")[0].strip()
            yield findings.ORPHAN_OUTPUT.at(cell.head.line, line=marker[:_SHOWN])


def check_attributes(checked: CheckedText) -> Iterator[Finding]:
    """Yield repeated attributes and quotes that are not closed."""
    for located in checked.text_cells:
        if not located.cell.attributes:
            continue
        counts = Counter(key for key, value in located.cell.attributes if isinstance(value, str))
        for key, count in counts.items():
            if count > 1:
                yield findings.DUPLICATE_ATTRIBUTE.at(
                    located.footnote_line, key=key[:_SHOWN], count=count
                )
        for key in _unclosed_quotes(located):
            yield findings.UNCLOSED_QUOTE.at(located.footnote_line, key=key[:_SHOWN])


def _unclosed_quotes(located: LocatedCell) -> Iterator[str]:
    """Yield keys whose values begin with a quote: reading removes quotes that are closed."""
    rest = located.footnote.rest if located.footnote else ""
    position = 0
    for key, value in located.cell.attributes:
        start = rest.find(f"{key}=", position) if isinstance(value, str) else -1
        if start >= 0 and isinstance(value, str):
            position = start + len(key) + 1
            if value.startswith('"') and rest.startswith(value, position):
                yield key


def check_duplicate_ids(checked: CheckedText) -> Iterator[Finding]:
    """Yield repeated ids of cells and repeated labels of calls."""
    seen: dict[str, int] = {}
    for cell in checked.cells:
        if cell.id is not None:
            if cell.id in seen:
                yield findings.DUPLICATE_ID.at(cell.head.line, line=seen[cell.id], id=cell.id)
            seen.setdefault(cell.id, cell.head.line)
        calls: dict[str, int] = {}
        for located in cell.below:
            label = located.cell.label
            if (
                located.role != "block"
                or label is None
                or cell_kind(located.cell) is not TOOL_CALLS
            ):
                continue
            if label in calls:
                yield findings.DUPLICATE_LABEL.at(
                    located.line, line=calls[label], label=label[:_SHOWN]
                )
            calls.setdefault(label, located.line)


def check_fences(checked: CheckedText) -> Iterator[Finding]:
    """Yield fences that are not closed, and markers inside of fences."""
    opened: LocatedCell | None = None
    crossed: list[LocatedCell] = []
    for located in checked.text_cells:
        if opened is not None and located.lookalikes.first_fence is not None:
            if _ends_in(opened, located):
                yield from _inside(opened, [*crossed, located], located.lookalikes.first_fence)
                opened = None
                continue
            yield from _unclosed(opened)
            opened = None
        if opened is not None:
            crossed.append(located)
        elif located.is_prose and located.lookalikes.open_fence is not None:
            opened, crossed = located, []
    if opened is not None:
        yield from _unclosed(opened)


def _ends_in(opened: LocatedCell, located: LocatedCell) -> bool:
    """Return whether the fence that one text cell leaves open ends in another one.

    The first fence of the other would close it. Read alone, the other also leaves a fence open.
    """
    fence, first = opened.lookalikes.open_fence, located.lookalikes.first_fence
    if fence is None or first is None or located.lookalikes.open_fence is None:
        return False
    return closes(first.text, fence.text)


def _inside(opened: LocatedCell, text_cells: list[LocatedCell], end: Line) -> Iterator[Finding]:
    fence = opened.lookalikes.open_fence
    start = fence.number if fence else opened.line
    for located in text_cells:
        yield findings.MARKER_IN_FENCE.at(located.line, start=start, end=end.number)


def _unclosed(located: LocatedCell) -> Iterator[Finding]:
    fence, first = located.lookalikes.open_fence, located.lookalikes.first_fence
    if fence is None or located.role == "block":
        # An answer can be cut off inside a fence; the status of its turn says so.
        return
    code = located.role == "code"
    row = findings.UNCLOSED_CODE if code else findings.UNCLOSED_FENCE
    run = fence_run(fence.text)[:_SHOWN]
    yield row.at(fence.number, fixable=code and fence is first, fence=run)


# Footnotes that cannot be read.


_LABEL = re.compile(r"\[\^[ \t]*([^\s\[\]^]+)")


def check_unread_footnotes(checked: CheckedText) -> Iterator[Finding]:
    """Yield lines that may be meant as a footnote and cannot be read as one, each once."""
    numbers = set()
    for located in checked.text_cells:
        if located.unread is None:
            continue
        lines = [shown(line) for line in located.text.split("\n")]
        is_here = located.unread in lines
        number = located.line + lines.index(located.unread) if is_here else located.footnote_line
        numbers.add(number)
        label, mark = _proposal(located.unread, located.cell.label)
        yield findings.UNREAD_FOOTNOTE.at(number, line=located.line, label=label, mark=mark)
    held = set(checked.held.values())
    lines = [shown(line) for line in checked.text.split("\n")]
    for line in dict.fromkeys([*list_stray_footnotes(checked.placed), *sorted(held)]):
        # A footnote of the same words that a marker takes stands above.
        number = len(lines) - lines[::-1].index(line) if line in lines else 1
        if number in numbers or (line not in held and not _is_prose(checked, number)):
            continue
        row = findings.HOLDING_FOOTNOTE if line in held else findings.STRAY_FOOTNOTE
        yield row.at(number)


def _is_prose(checked: CheckedText, number: int) -> bool:
    """Return whether a person or an agent wrote a line: programs print anything."""
    above = [located for located in checked.text_cells if located.line <= number]
    return not above or above[-1].is_prose


def _proposal(line: str, label: str | None) -> tuple[str, str]:
    """Return the label and the words of a footnote that says what a line probably means."""
    named = _LABEL.search(line)
    label = label or (named[1] if named else "a")
    mark = "[markdown] history=exclude" if says_history(line) else "[markdown]"
    return f"[^{label[:_SHOWN]}]", "[raw]" if "[raw" in line.casefold() else mark
