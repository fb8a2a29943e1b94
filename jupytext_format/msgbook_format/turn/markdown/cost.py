"""Markdown that would stop whoever lays it out.

Parsers take the square, or more, of the length of some texts: of a paragraph with thousands of
marks that open and never close, of long runs of backticks, of lists in lists. What a text would
take is estimated in linear time, from above; the limits are for about half a second. The page
estimates the same (`markdownCost.ts`), and the tests of both read one list of texts
(`tests/format/turn/fixtures/markdown_cost.json`).
"""

from __future__ import annotations

import re

MOST_OF_ONE = 5_000_000
"""Characters of a paragraph, times what in it has to be looked for to the paragraph's end."""

MOST_OF_ALL = 50_000_000
"""The same, of all paragraphs."""

MOST_OF_FENCES = 100_000_000
"""Fences, times the characters of the text: each may be looked for to its end."""

LONGEST_RUN = 64
"""Backticks or tildes in a row."""

_MARKS = "*_~`["
_LONG_RUNS = ("`" * LONGEST_RUN, "~" * LONGEST_RUN)
_NESTED = re.compile(
    r"(?:^|(?<=\r))(?:[ \t]*(?:[-+*>]|[0-9]{1,9}[.)])(?=[ \t>])){20}", re.MULTILINE
)
_MAYBE_FENCE = re.compile(r"[ \t>]*(?:(?:[-+*]|[0-9]{1,9}[.)])[ \t>]+)*(?:`{3}|~{3})")
_SURE_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})[A-Za-z0-9_+.#-]*[ \t]*")
_ITEM = re.compile(r" {0,3}[-+*] {1,3}\S")


def takes_too_long(markdown: str) -> bool:
    """Whether some renderer would stand still for long over this Markdown."""
    if any(run in markdown for run in _LONG_RUNS) or _NESTED.search(markdown):
        return True
    # Most texts are: all that is counted below is part of this.
    if len(markdown) * _marks(markdown) <= MOST_OF_ONE:
        return False
    lines = re.split("\r\n?|\n", markdown)
    edges = [line for line in lines if _MAYBE_FENCE.match(line)]
    return (
        len(edges) * len(markdown) > MOST_OF_FENCES
        # In fences as well: some look for formulas, and for code to leave them in, before fences.
        or any(len(line) * line.count("`") > MOST_OF_ONE for line in lines)
        or _is_dense(_prose(lines, edges))
    )


def _prose(lines: list[str], edges: list[str]) -> list[str]:
    """The lines outside of code. Where a fence is not one to all parsers, any line may be."""
    if not all(map(_SURE_FENCE.fullmatch, edges)):
        return lines
    prose: list[str] = []
    opener = ""
    for line in lines:
        fence = _SURE_FENCE.fullmatch(line)
        if fence is not None:
            if not opener:
                opener = fence[1]
            elif fence[1].startswith(opener):
                opener = ""
        prose.append("" if opener or fence else line)
    return prose


def _is_dense(lines: list[str]) -> bool:
    """Whether paragraphs have too many marks for their length."""
    length = marks = most = total = 0
    for line in [*lines, ""]:
        # The rows of a table are paragraphs of their own, as are items of a list.
        is_row = line.lstrip().startswith("|")
        if is_row or not line.strip() or _ITEM.match(line):
            most, total = max(most, length * marks), total + length * marks
            length = marks = 0
        length += len(line)
        marks += _marks(line)
        if is_row:
            most, total = max(most, length * marks), total + length * marks
            length = marks = 0
    return most > MOST_OF_ONE or total > MOST_OF_ALL


def _marks(text: str) -> int:
    """How many characters begin something that has to be looked for to the paragraph's end."""
    return sum(map(text.count, _MARKS))
