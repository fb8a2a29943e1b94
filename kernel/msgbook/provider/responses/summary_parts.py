"""The parts of a summary that no server announces: their index begins a part, or counts the deltas. Pure."""

from __future__ import annotations

import re
from typing import Any

Piece = tuple[Any, str]
"""A delta with the index that it belongs to."""

_SENTENCE_END = re.compile(r"[.!?:;…。!?:;*`)\]\"”’」』]\s*$")


class SummaryParts:
    """Gives deltas the index of their part.

    OpenAI's index names a part, and vLLM's is another one for each delta. As long as each index has brought one delta, both
    look alike: the last delta waits until the next one, a complete text or what it says tells them apart.
    """

    def __init__(self) -> None:
        self._are_named = False
        """True once indexes name parts."""
        self._are_counted = False
        """True once they count deltas."""
        self._index: Any = None
        self._said = ""
        self._waiting: Piece | None = None

    def announce(self) -> list[Piece]:
        """Note that the server announces parts; return what was waiting."""
        waiting = self.release([])
        self._are_named = not self._are_counted
        return waiting

    def feed(self, index: Any, text: str) -> list[Piece]:
        """Return the deltas that can be passed on."""
        if self._are_named or type(index) is not int:
            return [*self.release([]), (index, text)]
        if self._index is None:
            self._index, self._said = index, text
            return [(index, text)]
        if not self._are_counted and index == (self._waiting or (self._index,))[0]:
            self._are_named = True
            return [*self._take(), (index, text)]
        before = self.release([])
        if self._are_counted:
            return [*before, (self._index, text)]
        self._waiting = index, text
        return before

    def release(self, wholes: list[str]) -> list[Piece]:
        """Return the delta that waits, as something else follows.

        Args:
            wholes: The complete text of one part, or of all; empty if they have not come.
        """
        pieces = self._take()
        for index, text in pieces:
            both = self._said + text
            if any(wholes):
                self._are_counted = any(whole.startswith(both) for whole in wholes)
            else:
                is_begun = _SENTENCE_END.search(self._said) and not text[:1].isspace()
                self._are_counted = not is_begun
            if self._are_counted:
                return [(self._index, text)]
            self._index, self._said = index, text
        return pieces

    def end_part(self, text: str) -> list[Piece]:
        """Return the delta that waits, as a part has ended: the next index is that of another one."""
        waiting = self.release([text])
        if not self._are_counted:
            self._index = None
        return waiting

    def _take(self) -> list[Piece]:
        waiting, self._waiting = self._waiting, None
        return [waiting] if waiting else []
