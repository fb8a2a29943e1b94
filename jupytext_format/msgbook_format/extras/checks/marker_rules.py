"""Rules about markers, attributes, ids and fences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from msgbook_format.extras.checks.checked_text import CheckedText, LocatedCell
from msgbook_format.extras.checks.lookalikes import Line, closes, fence_run
from msgbook_format.finding import Finding
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
