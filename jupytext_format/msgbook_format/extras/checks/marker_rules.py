"""Rules about markers, footnotes, ids and fences, and about spellings that are not read as such."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from msgbook_format.extras.checks.checked_text import CheckedText, LocatedCell
from msgbook_format.extras.checks.lookalikes import FootnoteLine, Line, closes, fence_run
from msgbook_format.extras.checks.misspelled_rules import has_only_attributes, says_history
from msgbook_format.finding import Finding
from msgbook_format.syntax.attributes import parse_footnote
from msgbook_format.syntax.footnotes import is_definition
from msgbook_format.syntax.text_cell import is_excluded
from msgbook_format.turn.kinds import TOOL_CALLS
from msgbook_format.turn.output_cells.blocks import cell_kind

_SHOWN = 40
"""Characters of a line or name that a message quotes."""


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


def check_footnotes(checked: CheckedText) -> Iterator[Finding]:
    """Yield footnotes with type or attributes that belong to no marker."""
    used = {line.number for line in checked.footnote_lines.values()}
    markers: dict[str, int] = {}
    for located in checked.text_cells:
        markers.setdefault((located.cell.label or "").casefold(), located.line)
    for located in checked.text_cells:
        # Programs print anything, but rarely a footnote as the first line below a marker.
        lookalikes = located.lookalikes
        for line in lookalikes.footnotes if located.is_prose else lookalikes.footnotes[:1]:
            if line == located.footnote or line.number in used or line.label in lookalikes.labels:
                continue
            if not (located.is_prose or line.is_first):
                continue
            footnote = parse_footnote(line.rest)
            if footnote is None:
                continue
            type_, attributes = footnote
            if any(value is True for _, value in attributes) or not (type_ or attributes):
                continue
            if not is_definition(type_ or "", attributes):
                continue
            hides = any(key == "history" for key, _ in attributes)
            message = _describe_footnote(line, markers.get(line.label.casefold()), hides=hides)
            yield Finding(line.number, "footnote-label", message)


def _describe_footnote(line: FootnoteLine, marker: int | None, *, hides: bool) -> str:
    """Return what is wrong with a footnote; `hides` says that it has a `history`."""
    effect = ", so it hides nothing" if hides else ""
    shown = f"the footnote `[^{line.label[:_SHOWN]}]` is content{effect}"
    if marker is None:
        return f"{shown}: no marker has that label"
    return (
        f"{shown}: the marker in line {marker} has another one, or this one has no type. "
        "Put one footnote, with its type, below the marker."
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


# Rules about footnotes and attributes in a spelling that is not read: what they hide is sent.


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
