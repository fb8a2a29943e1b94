"""Rules about the file as a whole, about markers, attributes, ids, fences and footnotes; and fixes for some of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from msgbook_format.document.reader import reads
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


# Markers, attributes, ids and fences.


def check_near_markers(checked: CheckedText) -> Iterator[Finding]:
    """Yield content that looks like a marker."""
    for located in checked.text_cells:
        for line in located.lookalikes.near_markers if located.is_prose else ():
            yield Finding(
                line.number,
                "near-marker",
                f"`{line.text.strip()[:_SHOWN]}` is content, not a marker. A marker is one to five `#` in "
                "the first column, one space, `%%` or `%%%`, then a space, `[^` or the end of the line.",
            )


def check_orphan_outputs(checked: CheckedText) -> Iterator[Finding]:
    """Yield `# %%%` lines where no cell can have outputs."""
    for cell in checked.cells:
        if cell.head.role == "orphan":
            marker = cell.head.text.partition("\n")[0].strip()
            yield Finding(
                cell.head.line,
                "orphan-output",
                f"`{marker[:_SHOWN]}` has no prompt above it. An answer is sent as a message of the "
                "assistant, anything else is not sent. Put it below the prompt that it belongs to. "
                "If it is part of your text, write `\\` before it.",
            )


def check_attributes(checked: CheckedText) -> Iterator[Finding]:
    """Yield repeated attributes and quotes that are not closed."""
    for located in checked.text_cells:
        if not located.cell.attributes:
            continue
        counts = Counter(key for key, value in located.cell.attributes if isinstance(value, str))
        for key, count in counts.items():
            if count > 1:
                message = f"`{key[:_SHOWN]}` is set {count} times: the first value counts"
                yield Finding(located.footnote_line, "duplicate-attribute", message)
        for key in _unclosed_quotes(located):
            message = (
                f"the quote of `{key[:_SHOWN]}=` is not closed: the value ends at the first space"
            )
            yield Finding(located.footnote_line, "unclosed-quote", message)


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
                yield Finding(
                    cell.head.line,
                    "duplicate-id",
                    f"the cell in line {seen[cell.id]} already has the id `{cell.id}`. This cell gets another "
                    "id, which changes with its text. Give it a label of its own.",
                )
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
                message = (
                    f"the call in line {calls[label]} already has the label `[^{label[:_SHOWN]}]`"
                )
                yield Finding(
                    located.line, "duplicate-id", f"{message}: results belong to the last one"
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
        yield Finding(
            located.line,
            "marker-in-fence",
            f"this marker begins a cell, even inside the fence from line {start} to line "
            f"{end.number}. If it is content, write `\\` before it.",
        )


def _unclosed(located: LocatedCell) -> Iterator[Finding]:
    fence, first = located.lookalikes.open_fence, located.lookalikes.first_fence
    if fence is None or located.role == "block":
        # An answer can be cut off inside a fence; the status of its turn says so.
        return
    code = located.role == "code"
    effect = "the code reaches to the end of the cell" if code else "it hides all that follows"
    message = f"the fence {fence_run(fence.text)[:_SHOWN]} is not closed: {effect}"
    yield Finding(fence.number, "unclosed-fence", message, fixable=code and fence is first)


# Footnotes that cannot be read.


_LABEL = re.compile(r"\[\^[ \t]*([^\s\[\]^]+)")
_UNREAD = "unread-footnote"


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
        yield Finding(
            number,
            _UNREAD,
            f"this line cannot be read as the footnote of the marker in line {located.line}, so the cell is not sent "
            f"to a model. Write `{label}: {mark}` below a marker that ends with `{label}`",
        )
    held = set(checked.held.values())
    lines = [shown(line) for line in checked.text.split("\n")]
    for line in dict.fromkeys([*list_stray_footnotes(checked.placed), *sorted(held)]):
        # A footnote of the same words that a marker takes stands above.
        number = len(lines) - lines[::-1].index(line) if line in lines else 1
        if number in numbers or (line not in held and not _is_prose(checked, number)):
            continue
        effect = ", so what it may belong to is not sent to a model" if line in held else ""
        yield Finding(
            number,
            _UNREAD,
            f"no marker takes this line as its footnote{effect}. Put it in one line below its marker, with the "
            "marker's label, or write `\\` before it if it is text",
        )


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
