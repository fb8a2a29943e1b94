"""Findings about markers, footnotes, ids and fences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from msgbook_format.checks.checked_text import Mark, View
from msgbook_format.checks.finding import Finding
from msgbook_format.checks.lookalikes import Line, closes, fence_run
from msgbook_format.syntax.attributes import parse_tail

_SHOWN = 40
"""Characters of a line or name that a message quotes."""


def near_markers(view: View) -> Iterator[Finding]:
    """Lines that look like a marker and are content."""
    for mark in view.marks:
        for line in mark.lines.near if mark.written else ():
            yield Finding(
                line.number,
                "near-marker",
                f"`{line.text.strip()[:_SHOWN]}` is content: a marker is one to five `#` in the first "
                "column, one blank, `%%` or `%%%`, then a blank or the end of the line",
            )


def orphan_outputs(view: View) -> Iterator[Finding]:
    """`# %%%` where no cell can have outputs."""
    for mark in view.marks:
        if mark.role not in ("preamble", "note", "raw", "whole"):
            continue
        where = "before the first `# %%`" if mark.role == "preamble" else "below a note or raw cell"
        for line in mark.lines.markers:
            yield Finding(
                line.number,
                "orphan-output",
                f"`{line.text.strip()[:_SHOWN]}` {where} is no output but content; put it below the "
                "prompt that it belongs to, or write `\\` before it if it is meant so",
            )


def footnotes(view: View) -> Iterator[Finding]:
    """Footnotes that are written like ours and belong to no marker."""
    for mark in view.marks:
        # Programs print anything, but hardly a footnote as first line below a marker.
        notes = mark.lines.notes if mark.written else mark.lines.notes[:1]
        for note in notes:
            own = note.first and note.label == mark.unit.label
            if own or not (mark.written or note.first) or note.label in mark.lines.labels:
                continue
            tail = parse_tail(note.tail)
            if tail is None:
                continue
            kind, pairs = tail
            if any(value is True for _, value in pairs) or not (kind or pairs):
                continue
            yield Finding(note.number, "footnote-label", _told(mark, note.label, note.first))


def _told(mark: Mark, label: str, first: bool) -> str:
    shown = f"[^{label[:_SHOWN]}]"
    if mark.role == "preamble":
        return f"the footnote `{shown}` stands before the first marker: it is content"
    if label == mark.unit.label:
        return f"the footnote `{shown}` is content: it has to be the first line below its marker"
    if mark.unit.label is None and first:
        return f"the footnote `{shown}` is content: the marker in line {mark.line} has no `{shown}`"
    own = f"[^{(mark.unit.label or '')[:_SHOWN]}]"
    if mark.unit.label is None:
        return f"the footnote `{shown}` is content: no marker above it has that label"
    return f"expected the footnote `{own}` of the marker in line {mark.line}, found `{shown}`: it is content"


def attributes(view: View) -> Iterator[Finding]:
    """Attributes that are not read as they were probably meant."""
    for mark in view.marks:
        if not mark.pairs:
            continue
        counts = Counter(key for key, value in mark.pairs if isinstance(value, str))
        for key, count in counts.items():
            if count > 1:
                message = f"`{key[:_SHOWN]}` is given {count} times: the first counts"
                yield Finding(mark.footnote, "duplicate-attribute", message)
        for key in _unclosed_quotes(mark):
            message = f"the quote of `{key[:_SHOWN]}=` is not closed: its value ends at a blank"
            yield Finding(mark.footnote, "unclosed-quote", message)


def _unclosed_quotes(mark: Mark) -> Iterator[str]:
    """Keys whose values the file has as they are, with a quote: a closed one would be gone."""
    tail = mark.lines.notes[0].tail if mark.lines.notes else ""
    position = 0
    for key, value in mark.pairs:
        start = tail.find(f"{key}=", position) if isinstance(value, str) else -1
        if start >= 0 and isinstance(value, str):
            position = start + len(key) + 1
            if value.startswith('"') and tail.startswith(value, position):
                yield key


def duplicate_ids(view: View) -> Iterator[Finding]:
    """Cells with one id, and calls with one label."""
    seen: dict[str, int] = {}
    for cell in view.cells:
        if cell.id is not None:
            if cell.id in seen:
                yield Finding(
                    cell.head.line,
                    "duplicate-id",
                    f"the id `{cell.id}` is that of the cell in line {seen[cell.id]}: this one is "
                    "given another, which changes with its text; write a label of its own",
                )
            seen.setdefault(cell.id, cell.head.line)
        calls: dict[str, int] = {}
        for mark in cell.below:
            label = mark.unit.label
            if mark.role != "block" or label is None or mark.value("name") is None:
                continue
            if label in calls and mark.unit.kind == "tool":
                message = f"the call `[^{label[:_SHOWN]}]` stands in line {calls[label]} too"
                yield Finding(mark.line, "duplicate-id", f"{message}: results answer the last one")
            calls.setdefault(label, mark.line)


def fences(view: View) -> Iterator[Finding]:
    """Fences that are not closed, and markers that stand in one."""
    opened: Mark | None = None
    crossed: list[Mark] = []
    for mark in view.marks:
        if opened is not None and mark.lines.first_fence is not None:
            if _goes_on(opened, mark):
                yield from _inside(opened, [*crossed, mark], mark.lines.first_fence)
                opened = None
                continue
            yield from _unclosed(opened)
            opened = None
        if opened is not None:
            crossed.append(mark)
        elif mark.written and mark.lines.open_fence is not None:
            opened, crossed = mark, []
    if opened is not None:
        yield from _unclosed(opened)


def _goes_on(opened: Mark, mark: Mark) -> bool:
    """Whether the fence that is open behind one mark is the one that ends in another.

    The other's first fence would close it and leaves, read alone, a fence open.
    """
    fence, first = opened.lines.open_fence, mark.lines.first_fence
    if fence is None or first is None or mark.lines.open_fence is None:
        return False
    return closes(first.text, fence.text)


def _inside(opened: Mark, marks: list[Mark], end: Line) -> Iterator[Finding]:
    fence = opened.lines.open_fence
    start = fence.number if fence else opened.line
    for mark in marks:
        yield Finding(
            mark.line,
            "marker-in-fence",
            f"the marker counts, though it stands between the fences of the lines {start} and "
            f"{end.number}; write `\\` before it if it is content",
        )


def _unclosed(mark: Mark) -> Iterator[Finding]:
    fence, first = mark.lines.open_fence, mark.lines.first_fence
    if fence is None or mark.role == "block":
        # Answers are cut off in mid-code, and say so in their status.
        return
    code = mark.role == "code"
    told = "the code goes on to the end of the cell" if code else "it hides all that follows"
    message = f"the fence {fence_run(fence.text)[:_SHOWN]} is not closed: {told}"
    yield Finding(fence.number, "unclosed-fence", message, fixable=code and fence is first)
