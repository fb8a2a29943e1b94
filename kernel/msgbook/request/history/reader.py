"""Cells read as messages and remembered until the cells change. Pure; accepts malformed cells."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import is_
from typing import Any

from msgbook import messages
from msgbook.messages import Message, RequestHash, encode
from msgbook.notebook import Cell, KeptCell, id_of, source_of
from msgbook.request.history.cell import CellReading, Replay, prompt_message, read_cell, replay_text
from msgbook.request.history.prune import drop_pruned_files
from msgbook.request.history.request import CellKind, History, View, kind_of
from msgbook_format.garbage import paused
from msgbook_format.syntax import CHAT_CELLS, CellRule

_NO_SUMMARIES: Mapping[str, str] = {}
_LEAVES = frozenset({str, int, float, bool, type(None)})


@dataclass(slots=True)
class ReadCell:
    """A cell and its redacted messages."""

    cell: Any
    """Copy of the cell at the time of reading."""
    kind: CellKind
    starts_conversation: bool
    """Whether it is a prompt with text. System notes below it do not join the system message."""
    reading: CellReading
    encoded: tuple[bytes, ...]

    def add_to(self, history: History, position: int) -> None:
        """Append the messages to those of the cells above."""
        for message, encoded in zip(self.reading.messages, self.encoded, strict=True):
            history.add(message, encoded, position)


@dataclass(frozen=True, slots=True)
class _LastRead:
    """What was read last, and what it was begun with."""

    begun: History
    first: int
    """Position of the first prompt."""
    cells: list[ReadCell]
    history: History

    def begins(self, begun: History, first: int, cells: Sequence[ReadCell]) -> bool:
        """Return whether the messages of some cells begin with these."""
        return (
            (self.begun, self.first) == (begun, first)
            and len(self.cells) <= len(cells)
            and all(map(is_, self.cells, cells))
        )


class Reader:
    """Reader of cells as messages, which remembers what it has read.

    A cell that is read again is compared with its copy, which takes a hundredth of the time. The
    cell may be another object. One reader serves one conversation.

    Args:
        cell_rule: Tells the messages among the code cells; the answer may change.
        replay: Returns the content of earlier prompts, the same for the same arguments.
        redact: Removes secrets from a text or a message.
        may_contain: Returns whether `redact` could change a message, given its bytes from `encode`.
    """

    def __init__(
        self,
        *,
        cell_rule: CellRule = CHAT_CELLS,
        replay: Replay = replay_text,
        redact: Callable[[Any], Any] | None = None,
        may_contain: Callable[[bytes], bool] = lambda _encoded: True,
    ) -> None:
        self.cell_rule = cell_rule
        self._replay = replay
        self._redact = redact
        self._may_contain = may_contain
        self._seen: dict[tuple[Any, ...], ReadCell] = {}
        self._hash = RequestHash()
        self._hashed: list[bytes] = []
        """Messages that `_hash` contains."""
        self._last: _LastRead | None = None

    def read(
        self, cells: Sequence[Cell], view: View, summaries: Mapping[str, str] = _NO_SUMMARIES
    ) -> History:
        """Return the messages of the cells above the running one, in document order.

        System notes above the first prompt join the system message. Files that a `%prune` above
        drops are left out.

        Args:
            cells: All cells above the running one.
            summaries: Known summaries by source, from `known_summaries`.
        """
        read = self.read_cells(drop_pruned_files(cells, self.cell_rule), view, summaries)
        begun, first = self.begin_history(read, view)
        last = self._last
        if last is None or not last.begins(begun, first, read):
            last = _LastRead(begun, first, [], begun)
        history = last.history.copy()
        start = len(last.cells)
        for position, cell in enumerate(read[start:], start):
            history.missing += [replace(m, cell=position) for m in cell.reading.missing]
            history.cells += bool(cell.reading.messages)
            if position >= first or not cell.reading.system:
                cell.add_to(history, position)
        self._last = _LastRead(begun, first, read, history.copy())
        return history

    def forget(self) -> None:
        """Read all cells again for the next request: what `replay` returns has changed."""
        self._seen.clear()

    def begin_history(self, read: Sequence[ReadCell], view: View) -> tuple[History, int]:
        """Return a history with the system message alone, and the position of the first prompt.

        An empty system message is left out, because some servers refuse it.
        """
        prompts = (position for position, cell in enumerate(read) if cell.starts_conversation)
        first = next(prompts, len(read))
        notes = (cell.reading.system for cell in read[:first])
        text = "\n\n".join(filter(str.strip, [self._redacted(view.system_prompt), *notes]))
        history = History(alternate=view.alternate)
        if text:
            message = messages.system(text)
            history.add(message, encode(message), None)
        return history, first

    def prompt_message(self, source: str, context: Mapping[str, Any], view: View) -> Message | None:
        """Return the message of the running prompt; None if its text is empty.

        Args:
            context: The context that the turn records. Later requests make the same message from it.
        """
        message: Message | None = self._redacted(
            prompt_message(source, context, view.vision, self._replay)
        )
        return message

    def request_hash(self, request: History) -> str:
        """Return the `request_hash` of a request. Its common beginning with the last one is not hashed again."""
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
        """Return the messages of each cell. `%prune` cells are not obeyed here."""
        read = []
        seen = {}
        with paused():
            for position, cell in enumerate(cells):
                name = id_of(cell) or position
                key = (name, view.agent, view.vision, view.reasoning_of)
                kind = kind_of(cell, self.cell_rule)
                known = self._seen.get(key)
                if known is None or known.kind != kind or not _is_current(known, cell, summaries):
                    known = self._read(cell, kind, view, summaries)
                seen[key] = known
                read.append(known)
        # Deleted cells are forgotten, but not those that another agent has read.
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
            reasoning_of=view.reasoning_of,
            replay=self._replay,
            summaries=summaries,
            redact=self._redacted,
        )
        encoded = tuple(map(encode, reading.messages))
        if self._redact and (reading.missing or any(map(self._may_contain, encoded))):
            reading = self._without_secrets(reading)
            encoded = tuple(map(encode, reading.messages))
        starts_conversation = kind == "prompt" and bool(source_of(cell).strip())
        return ReadCell(_copied(cell), kind, starts_conversation, reading, encoded)

    def _without_secrets(self, reading: CellReading) -> CellReading:
        return replace(
            reading,
            messages=self._redacted(reading.messages),
            system=self._redacted(reading.system),
            missing=tuple(replace(m, text=self._redacted(m.text)) for m in reading.missing),
        )

    def _redacted(self, value: Any) -> Any:
        return value if self._redact is None else self._redact(value)


def _is_current(read: ReadCell, cell: Cell, summaries: Mapping[str, str]) -> bool:
    """Return whether neither the cell nor its summaries have changed since they were read."""
    for source, text in read.reading.used.items():
        if summaries.get(source) != text:
            return False
    try:
        return read.cell is cell or bool(read.cell == cell)
    except RecursionError:
        return False


def _copied(value: Any) -> Any:
    """Return a copy of a cell, with which later changes in place are noticed; a kept cell has none.

    If the cell is nested too deep, the copy is None, which equals no cell.
    """
    if value.__class__ is KeptCell:
        return value
    try:
        return _copy(value)
    except RecursionError:
        return None


def _copy(value: Any) -> Any:
    if isinstance(value, dict):
        copied = dict(value)
        for key, child in value.items():
            if child.__class__ not in _LEAVES:
                copied[key] = _copy(child)
        return copied
    if isinstance(value, list):
        return [child if child.__class__ in _LEAVES else _copy(child) for child in value]
    return value
