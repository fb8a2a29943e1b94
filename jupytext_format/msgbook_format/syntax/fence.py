"""Fences: the code of a `[code]` cell with the prose around it, the writing of any fence, and where strings are in a text."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from msgbook_format.syntax.lines import trim

if TYPE_CHECKING:
    from collections.abc import Iterable


_OPEN = re.compile(r"^( {0,3})(`{3,}(?=[^`\n]*$)|~{3,})[ \t]*([^\n]*?)$", re.M)
_RUN = re.compile(r"`{3,}")
_INFO = re.compile(r"(?:[^\s`~](?:[^`\n]*[^\s`])?)?")


@dataclass(slots=True, frozen=True)
class Fenced:
    """A body split at its first fence; `info` is the info string, None without a fence."""

    info: str | None
    code: str
    before: str
    after: str


def parse_fence(body: str) -> Fenced:
    """Return a body split at its first fence, which runs to the end if it is not closed.

    Without a fence, all of the body is code.
    """
    match = _OPEN.search(body)
    if match is None:
        return Fenced(None, body, "", "")
    indent, run, info = match[1], match[2], match[3].strip(" \t")
    start = min(match.end() + 1, len(body))
    close = _closing(run).search(body, start)
    inner = body[start : close.start()] if close else body[start:] + "\n"
    if match.end() == len(body):
        inner = ""
    code = inner[:-1]
    if indent:
        code = "\n".join(_dedent(line, len(indent)) for line in code.split("\n"))
    after = trim(body[close.end() :]) if close else ""
    return Fenced(info, code, trim(body[: match.start()]), after)


def format_fence(fenced: Fenced) -> str:
    """Return the body that `parse_fence` splits so; `before` and `info` have to fit."""
    # One empty line between the fences would read back as no code, too.
    code = f"{fenced.code}\n" if fenced.code else ""
    block = write_fence(code, fenced.info or "")
    return "\n\n".join(part for part in (fenced.before, block, fenced.after) if part)


def write_fence(lines: str, info: str) -> str:
    """Return lines, which end with a newline, in a fence that none of them closes."""
    longest = 2
    if "```" in lines:
        longest = max(len(run) for run in _RUN.findall(lines))
    fence = "`" * (longest + 1)
    return f"{fence}{info}\n{lines}{fence}"


def replace_code(body: str, code: str) -> str:
    """Return `body` with `code` in its first fence; without a fence, `code` is the new body."""
    match = _OPEN.search(body)
    if match is None:
        return code
    close = _closing(match[2]).search(body, min(match.end() + 1, len(body)))
    lines = "".join(f"{match[1]}{line}\n" for line in code.split("\n")) if code else ""
    above = f"{body[: match.end()]}\n{lines}"
    return above + body[close.start() :] if close else above[:-1]


def fits_before(text: str) -> bool:
    """Return whether `text`, before a fence, reads back as itself."""
    return text == trim(text) and not _OPEN.search(text)


def fits_info(text: str) -> bool:
    """Return whether `text`, as the info string of a fence, reads back as itself."""
    return bool(_INFO.fullmatch(text))


def opens_fence(run: str, info: str) -> bool:
    """Return whether backticks or tildes at the start of a line, and the text after them, open a fence."""
    return run[0] == "~" or "`" not in info


def closes_fence(run: str, info: str, opened: str) -> bool:
    """Return whether such a line closes the fence that the characters `opened` have opened."""
    return run[0] == opened[0] and len(run) >= len(opened) and not info.strip(" \t\r")


@lru_cache(maxsize=16)
def _closing(run: str) -> re.Pattern[str]:
    return re.compile(rf"^ {{0,3}}{run[0]}{{{len(run)},}}[ \t]*$", re.M)


def _dedent(line: str, width: int) -> str:
    blanks = len(line) - len(line.lstrip(" "))
    return line[min(blanks, width) :]


# Positions of chosen strings in a text, computed once.
#
# A hostile text may hold any number of openers. Searching the text again for the end of each one
# takes time that grows with the square of the text's length.


class StringPositions:
    """The positions of all strings that some patterns match in one text.

    Args:
        patterns: Each has one group, which matches the string.
    """

    def __init__(self, text: str, patterns: Iterable[re.Pattern[str]]) -> None:
        self._text = text
        self._patterns = patterns
        self._positions: dict[str, list[int]] | None = None

    def find(self, string: str, start: int) -> int:
        """Return the first position of a string at or after `start`; -1 if there is none."""
        if self._positions is None:
            self._positions = self._find_all()
        positions = self._positions.get(string, [])
        index = bisect_left(positions, start)
        return positions[index] if index < len(positions) else -1

    def _find_all(self) -> dict[str, list[int]]:
        positions: dict[str, list[int]] = {}
        for pattern in self._patterns:
            for match in pattern.finditer(self._text):
                positions.setdefault(match[1], []).append(match.start())
        return positions
