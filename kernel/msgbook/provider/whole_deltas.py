"""Servers that send the whole text so far in each delta: found out without harm to those that send pieces. Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

_HELD_LIMIT = 4096
"""Most characters that are held back. What is in doubt for longer is taken for pieces, as the protocol has it."""

_CERTAIN_GROWTHS, _CERTAIN_AGAIN = 5, 60
"""Deltas that grow, and characters said again, after which there is no doubt while the text still arrives."""

_GROWTHS, _AGAIN, _SIZE = 2, 6, 8
"""The same for a text that has ended, and its length: none of its deltas said anything else."""


class WholeDeltas:
    """Turns the deltas of one text into its pieces, whichever of the two a server sends.

    As long as each delta begins with the one before, both are possible (`ha`, `haha`), and all but the first
    are held back. What the text says of itself decides: its complete form, where the server sends one; else
    that it was said again and again, and is no repetition of something shorter (`hahaha`, `----`).
    """

    __slots__ = ("_again", "_first", "_growths", "_held", "_last", "_size", "_state")

    def __init__(self) -> None:
        self._state: Literal["open", "pieces", "whole"] = "open"
        self._first = self._last = ""
        self._held: list[str] = []
        self._size = self._growths = self._again = 0

    @property
    def is_begun(self) -> bool:
        """True once there was a delta."""
        return bool(self._last) or self._state != "open"

    def feed(self, delta: str) -> str:
        """Return what can be passed on."""
        if self._state == "pieces" or not delta:
            return delta
        last = self._last
        if self._state == "whole":
            return self._rest_of(delta)
        if not last:
            self._first = self._last = delta
            return delta
        grows = len(delta) > len(last)
        if not delta.startswith(last) or not (self._held or grows):
            return self._decide(is_whole=False) + delta
        self._held.append(delta)
        self._last = delta
        self._size += len(delta)
        self._growths += grows
        self._again += len(last) if grows and not _is_repetition(last) else 0
        if self._is_said_again(_CERTAIN_GROWTHS, _CERTAIN_AGAIN):
            return self._decide(is_whole=True)
        return self._decide(is_whole=False) if self._size > _HELD_LIMIT else ""

    def end(self, whole: str = "", is_complete: Callable[[str], bool] | None = None) -> str:
        """Return what is held back, as something else follows, or nothing.

        Args:
            whole: The complete text, if the server has sent it.
            is_complete: Tells whether a text can be one, where that can be known.
        """
        if not self._held:
            return ""
        last, pieces = self._last, self._first + "".join(self._held)
        if whole:
            is_whole = whole.startswith(last) and not whole.startswith(pieces)
        elif is_complete:
            is_whole = is_complete(last) and not is_complete(pieces)
        else:
            is_whole = len(last) >= _SIZE and self._is_said_again(_GROWTHS, _AGAIN)
        return self._decide(is_whole=is_whole)

    def _is_said_again(self, growths: int, again: int) -> bool:
        # Lines that grow, a pyramid or a song, begin with their line break.
        is_line = self._first[:1].isspace()
        enough = self._growths >= growths and self._again >= again
        return enough and not is_line and not _is_repetition(self._last)

    def _decide(self, *, is_whole: bool) -> str:
        self._state = "whole" if is_whole else "pieces"
        rest = self._last[len(self._first) :] if is_whole else "".join(self._held)
        self._held.clear()
        return rest

    def _rest_of(self, delta: str) -> str:
        last = self._last
        if last.startswith(delta):
            return ""
        if not delta.startswith(last):
            self._state = "pieces"
            return delta
        self._last = delta
        return delta[len(last) :]


def _is_repetition(text: str) -> bool:
    """Return whether a text is one shorter text again and again, perhaps cut at the end."""
    return any(text.startswith(text[size:]) for size in range(1, len(text) // 2 + 1))
