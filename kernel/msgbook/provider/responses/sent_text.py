"""Text of an output item: what deltas have brought, and what only a later, complete text says. Pure."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

from msgbook.errors import ProviderError
from msgbook.growing_text import GrowingText
from msgbook.provider.pieces import SurrogateJoiner
from msgbook.text import repair_surrogates

TEXT_LIMIT = 16_000_000
"""Most characters of one item, of which not all need be shown."""

MAX_TEXT_PARTS = 1000


class SentText:
    """The text of an item's parts as far as it has been passed on.

    A server says a text up to four times: in deltas, at the end of the part, at the end of the item
    and in the final response. Each may be missing. What was passed on cannot be taken back: a complete
    text that does not begin with it adds nothing.
    """

    def __init__(self) -> None:
        self._parts: dict[Hashable, GrowingText] = {}
        self._half = SurrogateJoiner()
        self._ended: set[Hashable] = set()
        self._unnamed = 0
        """Number of parts without an index that have ended."""
        self._size = 0
        self._has_ended = self._has_text = False

    def __bool__(self) -> bool:
        return self._has_text

    def __str__(self) -> str:
        return "".join(map(str, self._parts.values()))

    def key(self, index: Any) -> Hashable:
        """Return the key of a part by its index. Without one, a part follows the end of another."""
        return index if type(index) is int else ("unnamed", self._unnamed)

    def add(self, part: Hashable, text: str) -> str:
        """Return the text of a delta that can be passed on; empty if the part has ended."""
        if self._has_ended or part in self._ended:
            return ""
        return self._pass_on(part, self._half.feed(text))

    def end_part(self, part: Hashable, text: str) -> str:
        """Return what is missing of the complete text of a part."""
        if not text or self._has_ended or part in self._ended:
            return ""
        self._ended.add(part)
        self._unnamed += type(part) is not int
        sent, whole = str(self._parts.get(part, "")), repair_surrogates(text)
        if not whole.startswith(sent):
            return ""
        self._half.end()
        return self._pass_on(part, whole[len(sent) :])

    def end(self, texts: list[str]) -> Iterator[tuple[Hashable, str]]:
        """Yield what is missing of the complete texts of all parts, each with its part."""
        if self._has_ended or not any(texts):
            return
        self._has_ended = True
        wholes, sent = list(map(repair_surrogates, texts)), str(self)
        if not "".join(wholes).startswith(sent):
            return
        self._half.end()
        passed, parts = len(sent), list(self._parts)
        for number, whole in enumerate(wholes):
            part = parts[number] if number < len(parts) else ("new", number)
            if missing := whole[passed:]:
                yield part, self._pass_on(part, missing)
            passed = max(0, passed - len(whole))

    def held(self) -> str:
        """Return the replacement of half a character whose other half did not come; empty for none."""
        return self._half.end()

    def _pass_on(self, part: Hashable, text: str) -> str:
        pieces = self._parts.setdefault(part, GrowingText())
        pieces.add(text)
        self._size += len(text)
        self._has_text = self._has_text or bool(text)
        if self._size > TEXT_LIMIT or len(self._parts) > MAX_TEXT_PARTS:
            raise ProviderError("TooMuchText", "The server sent an item without an end.")
        return text
