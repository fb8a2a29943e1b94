"""Reading a prompt from left to right, past what is code in it. Time grows with the text."""

from __future__ import annotations

import asyncio
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from msgbook_format.syntax.string_positions import StringPositions

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_LINE_END = re.compile(r"\r\n?|\n")
_RUN = re.compile(r"(`+)")
_LONG = 20_000
"""Characters of a text that takes long to read."""
_P = ParamSpec("_P")
_T = TypeVar("_T")
_PROBLEMS = 20
"""Problems of one text that are told."""


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a text that goes on to be used as it is."""

    line: int
    """From 1."""
    words: str
    """What was found, and what was expected."""


def locate_problems(text: str, found: Iterable[tuple[int, str]]) -> list[Problem]:
    """Problems at positions of a text, in order; of very many the first ones and their number."""
    ordered = sorted(found)
    problems = []
    line, counted = 1, 0
    for position, words in ordered[:_PROBLEMS]:
        line += text.count("\n", counted, position)
        counted = position
        problems.append(Problem(line, words))
    if len(ordered) > _PROBLEMS:
        problems.append(Problem(line, f"There are {len(ordered) - _PROBLEMS} more such problems."))
    return problems


async def run_in_thread_if_long(
    text: str, read: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs
) -> _T:
    """What a function makes of a text: of a long one in a thread, so that an interrupt comes through."""
    if len(text) < _LONG:
        return read(*args, **kwargs)
    return await asyncio.to_thread(read, *args, **kwargs)


class Scanner:
    """Finds openers in a Markdown text, not in its fences and inline code, nor behind a backslash.

    Args:
        opener: Regular expression of what to look for; `^` is the begin of a line.
    """

    def __init__(self, text: str, opener: str) -> None:
        self._text = text
        self._pattern = re.compile(rf"\\[!-/:-@\[-`{{-~]|`+|(?P<opener>{opener})", re.MULTILINE)
        self._fences, self._paragraphs = _blocks(text)
        self._runs = StringPositions(text, (_RUN,))
        self._position = 0

    def next(self) -> re.Match[str] | None:
        """The next opener; None when there is none any more."""
        while found := self._pattern.search(self._text, self._position):
            fence = _span_at(self._fences, found.start())
            if fence is not None:
                self._position = fence[1]
            elif found["opener"] is not None:
                self._position = max(found.end(), found.start() + 1)
                return found
            elif found[0][0] == "`":
                self._position = self._code_end(found)
            else:
                self._position = found.end()
        return None

    def skip(self, position: int) -> None:
        """Go on at a position; what stands before it has been read."""
        self._position = max(self._position, position)

    def _code_end(self, run: re.Match[str]) -> int:
        """Where the inline code ends that the backticks open; behind them if they open none."""
        paragraph = _span_at(self._paragraphs, run.start())
        closing = self._runs.find(run[0], run.end()) if paragraph else -1
        inside = paragraph is not None and 0 <= closing < paragraph[1]
        return closing + len(run[0]) if inside else run.end()


def match_brackets(text: str, brackets: str, *, within: str = r"\n") -> dict[int, int]:
    """Where the bracket stands that closes the one at a position; depth is counted.

    Args:
        brackets: The opening and the closing one.
        within: A regular expression over which no pair reaches: by default the end of a line.
    """
    opened: list[int] = []
    pairs: dict[int, int] = {}
    for found in re.finditer(rf"[{re.escape(brackets)}]|{within}", text):
        if found[0] == brackets[0]:
            opened.append(found.start())
        elif found[0] != brackets[1]:
            opened.clear()
        elif opened:
            pairs[opened.pop()] = found.start()
    return pairs


_Spans = list[tuple[int, int]]


@lru_cache(maxsize=8)
def _blocks(text: str) -> tuple[_Spans, _Spans]:
    """Where fences stand, and where paragraphs and headings do; one text is asked for many times."""
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
    # Imported here: the kernel starts without it.
    from markdown_it import MarkdownIt

    # Blocks only. Indented text is no code here: people indent what they mean.
    return MarkdownIt("commonmark").disable(["inline", "text_join", "code"])


def _span_at(spans: _Spans, position: int) -> tuple[int, int] | None:
    index = bisect_right(spans, (position, float("inf"))) - 1
    return spans[index] if index >= 0 and position < spans[index][1] else None
