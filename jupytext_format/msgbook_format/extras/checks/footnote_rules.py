"""The rule about footnotes: a cell is sent to no model while a line may be its footnote and cannot be read as one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgbook_format.extras.checks.checked_text import CheckedText
from msgbook_format.finding import Finding
from msgbook_format.syntax.unread_footnotes import list_stray_footnotes, says_history, shown

_LABEL = re.compile(r"\[\^[ \t]*([^\s\[\]^]+)")
_CODE = "unread-footnote"
_SHOWN = 40
"""Characters of a label that a message quotes."""


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
            _CODE,
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
            _CODE,
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
