"""Cells to messages, remembered as long as the cells stay as they are. Pure, total on odd cells."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from msgbook import messages
from msgbook.messages import Message, RequestHash, encode
from msgbook.notebook.cells import Cell, IsMagic, any_magic, id_of, source_of
from msgbook.request.history.cell import CellReading, Replay, prompt_message, read_cell, replay_text
from msgbook.request.history.kind import CellKind, kind_of
from msgbook.request.history.prune import drop_pruned_files
from msgbook.request.history.request import History, View
from msgbook_format.garbage import paused

_NO_SUMMARIES: Mapping[str, str] = {}
_LEAVES = frozenset({str, int, float, bool, type(None)})


@dataclass(slots=True)
class ReadCell:
    """A cell with what it gives, redacted."""

    cell: Any
    """A copy of the cell as it was read."""
    kind: CellKind
    begins: bool
    """Whether it is a prompt with something in it: system notes below it are told as they come."""
    reading: CellReading
    encoded: tuple[bytes, ...]

    def add_to(self, history: History, position: int) -> None:
        """Put its messages behind those of the cells above."""
        for message, encoded in zip(self.reading.messages, self.encoded, strict=True):
            history.add(message, encoded, position)


class Reader:
    """Reads cells as messages, and remembers what it has read.

    A cell that comes again, as the same object or another, is compared with what was read, which
    costs a hundredth of reading it. One reader serves one conversation.

    Args:
        is_magic: Which magics would run; may change its mind.
        replay: Gives the content of earlier prompts; must give the same for the same arguments.
        redact: Takes out of a text, or a message, what must not be sent.
        may_hold: Whether `redact` could change a message, as `messages.encode` gives it.
    """

    def __init__(
        self,
        *,
        is_magic: IsMagic = any_magic,
        replay: Replay = replay_text,
        redact: Callable[[Any], Any] | None = None,
        may_hold: Callable[[bytes], bool] = lambda _encoded: True,
    ) -> None:
        self.is_magic = is_magic
        self._replay = replay
        self._redact = redact
        self._may_hold = may_hold
        self._seen: dict[tuple[Any, ...], ReadCell] = {}
        self._hash = RequestHash()
        self._hashed: list[bytes] = []
        """What `_hash` holds."""

    def read(
        self, cells: Sequence[Cell], view: View, summaries: Mapping[str, str] = _NO_SUMMARIES
    ) -> History:
        """The messages of the cells above the running one, in document order.

        System notes that stand before the first prompt join the system message. What a `%prune`
        above drops is left out.

        Args:
            cells: All cells above the running one.
            summaries: Known ones, by source, as `known_summaries` gives them.
        """
        read = self.read_cells(drop_pruned_files(cells, self.is_magic), view, summaries)
        history, first = self.begin_history(read, view)
        for position, one in enumerate(read):
            history.missing += [replace(m, cell=position) for m in one.reading.missing]
            history.cells += bool(one.reading.messages)
            if position >= first or not one.reading.system:
                one.add_to(history, position)
        return history

    def begin_history(self, read: Sequence[ReadCell], view: View) -> tuple[History, int]:
        """A history of the system message alone, and the position of the first prompt.

        Where it would say nothing there is none: some servers refuse an empty one.
        """
        prompts = (position for position, one in enumerate(read) if one.begins)
        first = next(prompts, len(read))
        notes = (one.reading.system for one in read[:first])
        text = "\n\n".join(filter(str.strip, [self._redacted(view.system_prompt), *notes]))
        history = History(alternate=view.alternate)
        if text:
            message = messages.system(text)
            history.add(message, encode(message), None)
        return history, first

    def prompt_message(self, source: str, context: Mapping[str, Any], view: View) -> Message | None:
        """The message of the running prompt; None where there is nothing to say.

        Args:
            context: What the turn records; the message is made of it now as it will be later.
        """
        message: Message | None = self._redacted(
            prompt_message(source, context, view.vision, self._replay)
        )
        return message

    def request_hash(self, request: History) -> str:
        """The `request_hash` of a request; what it shares with the last one is not hashed again."""
        known = len(self._hashed)
        if request.encoded[:known] != self._hashed:
            self._hash, known = RequestHash(), 0
        for encoded in request.encoded[known:]:
            self._hash.add(encoded)
        self._hashed = list(request.encoded)
        return self._hash.hexdigest()

    def read_cells(
        self, cells: Sequence[Cell], view: View, summaries: Mapping[str, str]
    ) -> list[ReadCell]:
        """What each cell gives, taken as it is."""
        read = []
        seen = {}
        with paused():
            for position, cell in enumerate(cells):
                name = id_of(cell) or position
                key = (name, view.agent, view.vision, view.keep_reasoning)
                kind = kind_of(cell, self.is_magic)
                one = self._seen.get(key)
                if one is None or one.kind != kind or not _is_current(one, cell, summaries):
                    one = self._read(cell, kind, view, summaries)
                seen[key] = one
                read.append(one)
        # Cells that are gone are forgotten; those that another agent has read are not.
        if len(self._seen) > 4 * len(seen) + 100:
            self._seen.clear()
        self._seen.update(seen)
        return read

    def _read(
        self, cell: Cell, kind: CellKind, view: View, summaries: Mapping[str, str]
    ) -> ReadCell:
        reading = read_cell(
            cell,
            kind,
            agent=view.agent,
            vision=view.vision,
            reasoning=view.keep_reasoning,
            replay=self._replay,
            summaries=summaries,
            redact=self._redacted,
        )
        encoded = tuple(map(encode, reading.messages))
        if self._redact and (reading.missing or any(map(self._may_hold, encoded))):
            reading = self._without_secrets(reading)
            encoded = tuple(map(encode, reading.messages))
        begins = kind == "prompt" and bool(source_of(cell).strip())
        return ReadCell(_copied(cell), kind, begins, reading, encoded)

    def _without_secrets(self, reading: CellReading) -> CellReading:
        return replace(
            reading,
            messages=self._redacted(reading.messages),
            system=self._redacted(reading.system),
            missing=tuple(replace(m, text=self._redacted(m.text)) for m in reading.missing),
        )

    def _redacted(self, value: Any) -> Any:
        return value if self._redact is None else self._redact(value)


def _is_current(one: ReadCell, cell: Cell, summaries: Mapping[str, str]) -> bool:
    """Whether the cell is as it was when it was read, and so are its summaries."""
    for source, text in one.reading.used.items():
        if summaries.get(source) != text:
            return False
    try:
        return bool(one.cell == cell)
    except RecursionError:
        return False


def _copied(value: Any) -> Any:
    """A copy of a JSON value, so that a later change in place is seen; its texts are shared.

    None, which no cell equals, where it is nested too deep.
    """
    try:
        return _copy(value)
    except RecursionError:
        return None


def _copy(value: Any) -> Any:
    if isinstance(value, dict):
        copied = dict(value)
        for key, one in value.items():
            if one.__class__ not in _LEAVES:
                copied[key] = _copy(one)
        return copied
    if isinstance(value, list):
        return [one if one.__class__ in _LEAVES else _copy(one) for one in value]
    return value
