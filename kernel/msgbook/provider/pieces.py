"""Streamed text put together again: characters, `<think>` tags and lists of parts that were cut."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Literal

from msgbook.errors import ProviderError
from msgbook.events import ReasoningDelta, TextDelta
from msgbook.text import GrowingText, repair_surrogates

# Arguments of a call that a server begins anew in mid-stream, at the same place or at another. Pure.


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

    They begin anew with an object like theirs, where none can stand. What then differs was not a new beginning, and
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


_OPEN, _CLOSE = "<think>", "</think>"

_BLANKS_LIMIT = 4096
"""Most characters of white space that are held back while `<think>` may follow."""


DETAILS_LIMIT = 16_000_000
"""Most characters of the reasoning details of one answer. They come beside its reasoning."""

_DETAIL_SIZE = 10
"""Counted for each detail: it takes memory even without a text."""


class SurrogateJoiner:
    """Joins surrogate pairs that were cut into two pieces, and replaces lone halves."""

    def __init__(self) -> None:
        self._half = ""

    def feed(self, text: str) -> str:
        """Return the text that is complete."""
        text = self._half + text
        self._half = text[-1:] if "\ud800" <= text[-1:] <= "\udbff" else ""
        return repair_surrogates(text.removesuffix(self._half) if self._half else text)

    def end(self) -> str:
        """Return the replacement of a half whose other half did not come; empty for none."""
        half, self._half = self._half, ""
        return "\ufffd" if half else ""


class ThinkSplitter:
    """Separates reasoning from text in content that begins with `<think>`.

    The tag counts only at the beginning of the content, after white space; elsewhere it is text.
    Reasoning that is only white space is dropped: models write it when asked not to reason.
    """

    def __init__(self) -> None:
        self._state: Literal["start", "blank", "reasoning", "text"] = "start"
        self._held = ""

    def feed(self, text: str) -> Iterator[ReasoningDelta | TextDelta]:
        """Yield the pieces of which it is certain what they are."""
        if self._state == "text":
            if text:
                yield TextDelta(text)
            return
        self._held += text
        if self._state == "start":
            begun = self._held.lstrip()
            if begun.startswith(_OPEN):
                self._state, self._held = "blank", begun[len(_OPEN) :]
            elif not _OPEN.startswith(begun) or len(self._held) > _BLANKS_LIMIT:
                yield from self.flush()
        if self._state in ("blank", "reasoning"):
            yield from self._reasoning()

    def flush(self) -> Iterator[ReasoningDelta | TextDelta]:
        """Yield the text that is held back: something else follows, or nothing."""
        held, self._held = self._held, ""
        if self._state == "start" and held:
            self._state = "text"
            yield TextDelta(held)
        elif self._state == "reasoning" and held:
            yield ReasoningDelta(held, "")
        elif self._state == "blank" and held.strip():
            self._state = "reasoning"
            yield ReasoningDelta(held, "")

    def _reasoning(self) -> Iterator[ReasoningDelta | TextDelta]:
        reasoning, closed, rest = self._held.partition(_CLOSE)
        if closed:
            self._held = ""
            if self._state == "reasoning" or reasoning.strip():
                yield ReasoningDelta(reasoning, "")
            self._state = "text"
            if rest:
                yield TextDelta(rest)
            return
        kept = _overlap(reasoning, _CLOSE)
        certain = reasoning[: len(reasoning) - kept]
        if self._state == "blank" and not certain.strip() and len(certain) <= _BLANKS_LIMIT:
            return
        if certain:
            self._state, self._held = "reasoning", reasoning[len(certain) :]
            yield ReasoningDelta(certain, "")


class DetailsJoiner:
    """Joins OpenRouter's streamed `reasoning_details` into the form that has to be sent back."""

    def __init__(self) -> None:
        self._details: list[dict[str, Any]] = []
        self._pieces: list[dict[str, GrowingText]] = []
        self._size = 0

    def feed(self, details: list[dict[str, Any]]) -> None:
        """Add the details of one chunk.

        Raises:
            ProviderError: They never end.
        """
        for detail in details:
            self._size += _DETAIL_SIZE + sum(len(v) for v in detail.values() if isinstance(v, str))
            if self._size > DETAILS_LIMIT:
                raise ProviderError("TooMuchReasoning", "The server sent reasoning without an end.")
            if not (self._details and _same_detail(self._details[-1], detail)):
                self._details.append({})
                self._pieces.append({})
            for key, value in detail.items():
                if key in ("text", "summary") and isinstance(value, str):
                    self._pieces[-1].setdefault(key, GrowingText()).add(value)
                elif value is not None or key not in self._details[-1]:
                    self._details[-1][key] = value

    def join(self) -> list[dict[str, Any]]:
        """Return the complete details."""
        return [
            {**detail, **{key: str(text) for key, text in pieces.items()}}
            for detail, pieces in zip(self._details, self._pieces, strict=True)
        ]


def _same_detail(open_one: dict[str, Any], piece: dict[str, Any]) -> bool:
    """Return whether a piece continues the detail before it. Encrypted details come complete."""
    kind = piece.get("type")
    return (
        kind in ("reasoning.text", "reasoning.summary")
        and kind == open_one.get("type")
        and piece.get("index") == open_one.get("index")
        and piece.get("id") in (None, open_one.get("id"))
    )


def _overlap(text: str, tag: str) -> int:
    return next((n for n in range(len(tag) - 1, 0, -1) if text.endswith(tag[:n])), 0)


# Servers that send the whole text so far in each delta: found out without harm to those that send pieces. Pure.


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
    that it was said again and again, and is not a repetition of something shorter (`hahaha`, `----`).
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
    return any(text.startswith(text[size:]) for size in range(1, len(text) // 2 + 1))
