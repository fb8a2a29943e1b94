"""Estimate of the time that renderers need for a Markdown text.

Some texts take parsers quadratic time or more: a paragraph with thousands of marks that open and
never close, long runs of backticks, lists in lists. The estimate is an upper bound and takes linear
time; its limits correspond to about half a second. The page has the same estimate (`markdownCost.ts`).
The tests of both read `tests/format/turn/fixtures/markdown_cost.json`.
"""

from __future__ import annotations

import re

MAX_PARAGRAPH_COST = 5_000_000
"""Greatest product of a paragraph's characters and the marks in it."""

MAX_TEXT_COST = 50_000_000
"""Greatest sum of these products over all paragraphs."""

MAX_FENCE_COST = 100_000_000
"""Greatest product of fence lines and characters of the text."""

MAX_RUN = 64
"""Backticks or tildes in a row that are too many."""

_MARKS = "*_~`["
_LONG_RUNS = ("`" * MAX_RUN, "~" * MAX_RUN)
_NESTED = re.compile(r"\n(?:[ \t]*(?:[-+*>]|[0-9]{1,9}[.)])(?=[ \t>])){20}")
"""More lists and quotes inside each other than anyone writes, after a line end. A pattern that
begins with `^` would be tried at every character."""
_MAYBE_FENCE = re.compile(r"[ \t>]*(?:(?:[-+*]|[0-9]{1,9}[.)])[ \t>]+)*(?:`{3}|~{3})")
_SURE_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})[A-Za-z0-9_+.#-]*[ \t]*")
_ITEM = re.compile(r" {0,3}[-+*] {1,3}\S")


def takes_too_long(markdown: str) -> bool:
    """Return whether some renderer would need too long for this Markdown."""
    if has_long_run(markdown) or _is_nested(markdown):
        return True
    # True for most texts, short ones without counting. No cost below is greater than this product.
    length = len(markdown)
    if length * length <= MAX_PARAGRAPH_COST or length * _marks(markdown) <= MAX_PARAGRAPH_COST:
        return False
    lines = re.split("\r\n?|\n", markdown)
    edges = [line for line in lines if _MAYBE_FENCE.match(line)]
    return (
        len(edges) * len(markdown) > MAX_FENCE_COST
        # In fences, too: some parsers look for formulas and inline code before they look for fences.
        or any(len(line) * line.count("`") > MAX_PARAGRAPH_COST for line in lines)
        or _is_dense(_prose(lines, edges))
    )


def has_long_run(markdown: str) -> bool:
    """Return whether there are more backticks or tildes in a row than `MAX_RUN` allows."""
    return any(run in markdown for run in _LONG_RUNS)


def _is_nested(markdown: str) -> bool:
    lines = markdown.replace("\r", "\n")
    return _NESTED.search(f"\n{lines}") is not None


def _prose(lines: list[str], edges: list[str]) -> list[str]:
    """Return the lines outside of code: all of them, unless parsers agree about every fence."""
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
    """Return whether paragraphs have too many marks for their length."""
    length = marks = most = total = 0
    for line in [*lines, ""]:
        # Each row of a table and each item of a list counts as a paragraph.
        is_row = line.lstrip().startswith("|")
        if is_row or not line.strip() or _ITEM.match(line):
            most, total = max(most, length * marks), total + length * marks
            length = marks = 0
        length += len(line)
        marks += _marks(line)
        if is_row:
            most, total = max(most, length * marks), total + length * marks
            length = marks = 0
    return most > MAX_PARAGRAPH_COST or total > MAX_TEXT_COST


def _marks(text: str) -> int:
    """Return how many characters make a parser search to the paragraph's end."""
    return sum(map(text.count, _MARKS))
