"""Text of an output item: what deltas have brought, and what only a later, complete text says. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from msgbook.errors import ProviderError
from msgbook.provider.pieces import SurrogateJoiner, WholeDeltas
from msgbook.text import GrowingText, repair_surrogates

TEXT_LIMIT = 16_000_000
"""Most characters of one item, of which not all need be shown."""

MAX_TEXT_PARTS = 1000
"""Most parts of one item, each of which becomes a block; servers send one or two."""

_MAX_ALIASES = 10_000
"""Most indexes that were not announced and are kept. An older one names the open part, as an unknown one does."""

_LATE_LIMIT = 100
"""Pieces after the end of their part that are compared with it; further ones count as said before."""


class SentText:
    """The text of an item's parts as far as it has been passed on.

    A server says a text up to four times: in deltas, at the end of the part, at the end of the item
    and in the final response. Each may be missing. What was passed on cannot be taken back: a complete
    text that does not begin with it adds nothing.

    A part begins where the server announces it, or after the end of the part before. An index that
    was not announced names the open part: vLLM counts it up with each delta.

    Args:
        trusts_index: Whether an index begins a part, too, as long as no part was announced.
        is_complete: Tells whether a text can be one, where that can be known.
    """

    def __init__(
        self, *, trusts_index: bool = False, is_complete: Callable[[str], bool] | None = None
    ) -> None:
        self._trusts_index, self._is_complete = trusts_index, is_complete
        self._parts: list[GrowingText] = []
        self._deltas: list[WholeDeltas] = []
        """What was sent of each part: some servers send its whole text so far each time."""
        self._size = 0
        self._ended: set[int] = set()
        self._announced: dict[int, int] = {}
        """Parts by the index under which they were announced."""
        self._aliases: dict[int, int] = {}
        """Parts by indexes that were not announced. They are void once another part is announced."""
        self._half = SurrogateJoiner()
        self._late = 0
        self._differing = ""
        self._begun = self._repeated = ""
        """Text of the announcement as long as deltas may say it again, and what they have said of it."""
        self._has_ended = self._has_text = False

    def __bool__(self) -> bool:
        return self._has_text

    def __str__(self) -> str:
        return "".join(map(str, self._parts))

    def has_said(self, whole: str) -> bool:
        """Return whether a complete text is all that was passed on, or one of the parts that have ended."""
        return self._has_text and (
            self._is_said(whole) or (self._size == len(whole) and str(self) == whole)
        )

    def begin_part(self, index: Any) -> None:
        """Begin a part that the server announces, unless it is announced again."""
        self._aliases.clear()
        known = self._announced.get(index) if type(index) is int else None
        if known is None or known in self._ended:
            number = self._new_part() if self._is_used() else len(self._parts) - 1
            if type(index) is int:
                if len(self._announced) == MAX_TEXT_PARTS:
                    raise _too_much()
                self._announced[index] = number

    def add(self, index: Any, text: str) -> tuple[int, str]:
        """Return the part of a delta, and the text that can be passed on; empty if it was said before."""
        part = self._part(index)
        if self._has_ended:
            return part, ""
        if self._begun:
            text = self._new_of(text)
        if part in self._ended:
            if not text or self._late == _LATE_LIMIT or text in str(self._parts[part]):
                self._late += self._late < _LATE_LIMIT
                return part, ""
            part = self._new_part()
            if type(index) is int:
                self._aliases[index] = self._announced[index] = part
        return part, self._pass_on(part, self._half.feed(self._deltas[part].feed(text)))

    def announce(self, index: Any, text: str) -> tuple[int, str]:
        """Return the part of a text that comes with an announcement, and what of it was not said before.

        The deltas may go on with it, or say it again.
        """
        text = repair_surrogates(text)
        if self._has_ended or text in str(self):
            return 0, ""
        part = self._part(index)
        self._begun, self._repeated = text, ""
        return part, self._pass_on(part, text)

    def follow(self, text: str) -> None:
        """Note a text that was passed on before this one and is its beginning."""
        if text:
            first = self._parts[0] if self._parts else GrowingText()
            self._parts[:1] = [GrowingText(text + str(first))]
            self._deltas = self._deltas or [WholeDeltas()]
            self._size += len(text)
            self._has_text = True

    def settle(self) -> None:
        """Note that all text has come."""
        self._has_ended = True

    def _new_of(self, text: str) -> str:
        """Return what a delta says that did not come with the announcement."""
        repeated, begun = self._repeated + text, self._begun
        if begun.startswith(repeated) and repeated != begun:
            self._repeated = repeated
            return ""
        self._begun = self._repeated = ""
        return repeated.removeprefix(begun)

    def end_part(self, index: Any, text: str) -> tuple[int, str]:
        """Return a part, and what is missing of its complete text."""
        whole = repair_surrogates(text)
        if not text or self._has_ended or (self._is_new(index) and self._is_said(whole)):
            return 0, ""
        if not self._is_known(index) and self._size == len(whole) and str(self) == whole:
            self._ended.update(range(len(self._parts)))
            return 0, ""
        part = self._part(index)
        if part in self._ended:
            return part, ""
        self._ended.add(part)
        held = self._held_of(part, whole)
        sent = str(self._parts[part])
        if not whole.startswith(sent):
            self._differing = self._differing or whole
            return part, held
        self._half.end()
        return part, held + self._pass_on(part, whole[len(sent) :])

    def end(self, texts: list[str]) -> Iterator[tuple[int, str]]:
        """Yield what is missing of the complete texts of all parts, each with its part."""
        if self._has_ended or not any(texts):
            return
        self._has_ended = True
        wholes = list(map(repair_surrogates, texts))
        yield from self._held_of_parts(wholes)
        sent = str(self)
        self._differing = "" if (whole := "".join(wholes)).startswith(sent) else whole
        if self._differing:
            return
        self._half.end()
        passed = len(sent)
        for number, text in enumerate(wholes):
            if number == len(self._parts):
                self._new_part()
            if missing := text[passed:]:
                yield number, self._pass_on(number, missing)
            passed = max(0, passed - len(text))

    def held(self) -> Iterator[tuple[int, str]]:
        """Yield what is held back of each part, as something else follows, or nothing."""
        yield from self._held_of_parts([])

    def end_half(self) -> str:
        """Return the replacement of half a character whose other half did not come; empty for none."""
        return self._half.end()

    def _held_of_parts(self, wholes: list[str]) -> Iterator[tuple[int, str]]:
        for part in range(len(self._deltas)):
            if held := self._held_of(part, wholes[part] if part < len(wholes) else ""):
                yield part, held

    def _held_of(self, part: int, whole: str) -> str:
        held = self._deltas[part].end(whole, self._is_complete)
        return self._pass_on(part, self._half.feed(held)) if held else ""

    def take_differing(self) -> str:
        """Return a complete text that says something else than what was passed on, once; empty for none."""
        differing, self._differing = self._differing, ""
        said, whole = "".join(str(self).split()), "".join(differing.split())
        return "" if whole in said else differing

    def _part(self, index: Any) -> int:
        """Return the part that an index names, or a new one."""
        if type(index) is not int:
            return self._open_part()
        part = self._announced.get(index, self._aliases.get(index))
        if part is None:
            begins = self._trusts_index and not self._announced
            part = self._aliases[index] = self._new_part() if begins else self._open_part()
            if len(self._aliases) > _MAX_ALIASES:
                del self._aliases[next(iter(self._aliases))]
        return part

    def _open_part(self) -> int:
        last = len(self._parts) - 1
        return self._new_part() if last < 0 or last in self._ended else last

    def _new_part(self) -> int:
        if len(self._parts) == MAX_TEXT_PARTS:
            raise _too_much()
        self._parts.append(GrowingText())
        self._deltas.append(WholeDeltas())
        return len(self._parts) - 1

    def _is_used(self) -> bool:
        """Return whether the last part has text or has ended, or there is none."""
        last = len(self._parts) - 1
        return last < 0 or last in self._ended or bool(self._parts[last].size)

    def _is_new(self, index: Any) -> bool:
        """Return whether an index names no part, and none is open."""
        return (
            not self._is_known(index) and bool(self._parts) and len(self._parts) - 1 in self._ended
        )

    def _is_known(self, index: Any) -> bool:
        return type(index) is int and (index in self._announced or index in self._aliases)

    def _is_said(self, whole: str) -> bool:
        return any(_are_same(self._parts[part], whole) for part in self._ended)

    def _pass_on(self, part: int, text: str) -> str:
        if text:
            self._parts[part].add(text)
            self._size += len(text)
            self._has_text = True
            if self._size > TEXT_LIMIT:
                raise _too_much()
        return text


def _are_same(sent: GrowingText, whole: str) -> bool:
    # The sizes first: a text is not joined for each one that differs.
    return sent.size == len(whole) and str(sent) == whole


def _too_much() -> ProviderError:
    return ProviderError("TooMuchText", "The server sent an item without an end.")
