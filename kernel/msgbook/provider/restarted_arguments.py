"""Arguments of a call that a server begins anew in mid-stream, at the same place or at another. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable

_MOST_CHECKS = 20
"""Times that all arguments are read again to see whether they can go on with an object."""
_LEAST = 2
"""Characters after which arguments may begin anew: a bracket alone says nothing."""
_COMPARED = 64
"""First characters that a piece is compared with before."""

_STRINGS = re.compile(r'"(?:[^"\\]|\\.)*+("?)', re.DOTALL)
_BRACKETS = re.compile(r"[\[\]{}]")


class RestartedArguments:
    """The arguments of one call without what is said again from the beginning.

    They begin anew with an object like theirs, where none can stand. What then differs was no new beginning, and
    is passed on as it came.
    """

    __slots__ = ("_again", "_are_whole", "_at", "_begin", "_left")

    def __init__(self) -> None:
        self._begin = ""
        self._left = _MOST_CHECKS
        self._are_whole = False
        """Whether the server has sent all arguments so far with more of them."""
        self._again: str | None = None
        """What is said again; None if nothing is."""
        self._at = 0

    def feed(self, text: str, said: Callable[[], str]) -> str:
        """Return what is new in a piece.

        Args:
            said: Returns the arguments so far.
        """
        if self._again is None:
            if not self._begins_anew(text, said):
                self._begin = self._begin or text[:_COMPARED]
                return text
            self._again, self._at = said(), 0
        again, at = self._again, self._at
        known = again[at : at + len(text)]
        if not text.startswith(known):
            self._again = None
            return again[:at] + text
        self._at += len(known)
        if self._at == len(again):
            self._again = None
        return text[len(known) :]

    def _begins_anew(self, text: str, find_said: Callable[[], str]) -> bool:
        begin = min(len(text), len(self._begin))
        is_like = text.startswith("{") and text[:begin] == self._begin[:begin]
        if not (is_like and begin and self._left):
            return False
        said = find_said()
        is_whole = text.startswith(said)
        if len(said) < _LEAST or not (is_whole or said.startswith(text)):
            return False
        if is_whole and self._are_whole:
            return True
        self._left -= 1
        if _may_go_on_with_an_object(said):
            return False
        self._are_whole |= is_whole and len(text) > len(said)
        return True


def _may_go_on_with_an_object(said: str) -> bool:
    outside = _STRINGS.sub(lambda found: found[1] or "\\", said).rstrip()
    if not outside.endswith(","):
        return outside.endswith((":", "["))
    depth = 0
    for bracket in reversed(_BRACKETS.findall(outside)):
        depth += 1 if bracket in "]}" else -1
        if depth < 0:
            return bool(bracket == "[")
    return False
