"""Where certain strings stand in a text, found once.

Hostile text has as many openers as one likes; to look for the end of each anew would take time
that grows with the square of the text's length.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable


class Landmarks:
    def __init__(self, text: str, patterns: Iterable[re.Pattern[str]]) -> None:
        """`patterns`: each with one group, which matches the strings to look for."""
        self._text = text
        self._patterns = patterns
        self._places: dict[str, list[int]] | None = None

    def find(self, landmark: str, start: int) -> int:
        """Where the landmark stands first, not before `start`; -1 when nowhere."""
        if self._places is None:
            self._places = self._find_all()
        places = self._places.get(landmark, [])
        index = bisect_left(places, start)
        return places[index] if index < len(places) else -1

    def _find_all(self) -> dict[str, list[int]]:
        places: dict[str, list[int]] = {}
        for pattern in self._patterns:
            for match in pattern.finditer(self._text):
                places.setdefault(match[1], []).append(match.start())
        return places
