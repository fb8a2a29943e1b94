"""Positions of chosen strings in a text, computed once.

A hostile text may hold any number of openers. Searching the text again for the end of each one
takes time that grows with the square of the text's length.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable


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
