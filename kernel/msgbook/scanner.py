"""A scanner for Markdown texts, which skips code. Its time is linear in the text."""

from __future__ import annotations

import asyncio
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from msgbook_format.syntax import StringPositions

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_LINE_END = re.compile(r"\r\n?|\n")
_RUN = re.compile(r"(`+)")
_LONG = 20_000
"""Characters from which on a text is scanned in a thread."""
_P = ParamSpec("_P")
_T = TypeVar("_T")
_PROBLEMS = 20
"""Problems of one text that are listed."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong in a text that is used as it is anyway."""

    line: int
    """1-based."""
    message: str
    """What was found, and what was expected."""


def locate_problems(text: str, messages: Iterable[tuple[int, str]]) -> list[Problem]:
    """Return problems by line, given positions and messages; of very many, the first and a count."""
    ordered = sorted(messages)
    problems = []
    line, counted = 1, 0
    for position, message in ordered[:_PROBLEMS]:
        line += text.count("\n", counted, position)
        counted = position
        problems.append(Problem(line, message))
    if len(ordered) > _PROBLEMS:
        problems.append(Problem(line, f"There are {len(ordered) - _PROBLEMS} more such problems."))
    return problems


async def run_in_thread_if_long(
    text: str, read: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs
) -> _T:
    """Call a function that scans a text; for a long text in a thread, so that interrupts get through."""
    if len(text) < _LONG:
        return read(*args, **kwargs)
    return await asyncio.to_thread(read, *args, **kwargs)


class Scanner:
    """Finds openers in a Markdown text, except in fences, in inline code and after a backslash.

    Args:
        opener: Regular expression to look for; `^` matches at the start of a line.
    """

    def __init__(self, text: str, opener: str) -> None:
        self._text = text
        self._pattern = re.compile(rf"\\[!-/:-@\[-`{{-~]|`+|(?P<opener>{opener})", re.MULTILINE)
        self._fences, self._paragraphs = _blocks(text)
        self._runs = StringPositions(text, (_RUN,))
        self._position = 0

    def next(self) -> re.Match[str] | None:
        """Return the next opener; None at the end."""
        while match := self._pattern.search(self._text, self._position):
            fence = _span_at(self._fences, match.start())
            if fence is not None:
                self._position = fence[1]
            elif match["opener"] is not None:
                self._position = max(match.end(), match.start() + 1)
                return match
            elif match[0][0] == "`":
                self._position = self._code_end(match)
            else:
                self._position = match.end()
        return None

    def skip(self, position: int) -> None:
        """Continue at a position, if it is further on."""
        self._position = max(self._position, position)

    def _code_end(self, run: re.Match[str]) -> int:
        """Return the end of the inline code that the backticks open; their own end if they open none."""
        paragraph = _span_at(self._paragraphs, run.start())
        closing = self._runs.find(run[0], run.end()) if paragraph else -1
        inside = paragraph is not None and 0 <= closing < paragraph[1]
        return closing + len(run[0]) if inside else run.end()


def match_brackets(text: str, brackets: str, *, within: str = r"\n") -> dict[int, int]:
    """Return the position of the closing bracket for each opening one; brackets may be nested.

    Args:
        brackets: The opening and the closing bracket.
        within: Regular expression that no pair may span; by default the end of a line.
    """
    opened: list[int] = []
    pairs: dict[int, int] = {}
    for bracket in re.finditer(rf"[{re.escape(brackets)}]|{within}", text):
        if bracket[0] == brackets[0]:
            opened.append(bracket.start())
        elif bracket[0] != brackets[1]:
            opened.clear()
        elif opened:
            pairs[opened.pop()] = bracket.start()
    return pairs


_Spans = list[tuple[int, int]]


@lru_cache(maxsize=8)
def _blocks(text: str) -> tuple[_Spans, _Spans]:
    """Return the spans of fences, and the spans of paragraphs and headings. Cached per text."""
    fences: _Spans = []
    paragraphs: _Spans = []
    if "`" not in text and "~~~" not in text:
        return fences, paragraphs
    starts = [0, *(end.end() for end in _LINE_END.finditer(text)), len(text)]
    for token in _parser().parse(text):
        if token.type in ("fence", "inline") and token.map:
            first, last = (starts[min(line, len(starts) - 1)] for line in token.map)
            (fences if token.type == "fence" else paragraphs).append((first, last))
    return fences, paragraphs


@cache
def _parser() -> MarkdownIt:
    # Imported here, because the kernel starts without it.
    from markdown_it import MarkdownIt

    # Blocks only. Indented text is not code here: people indent prose.
    return MarkdownIt("commonmark").disable(["inline", "text_join", "code"])


def _span_at(spans: _Spans, position: int) -> tuple[int, int] | None:
    index = bisect_right(spans, (position, float("inf"))) - 1
    return spans[index] if index >= 0 and position < spans[index][1] else None
