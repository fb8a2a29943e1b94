"""Which turns would be asked something else today than what they answered. Pure.

A turn keeps the hash of its first request. All requests are made again from the notebook as it
stands, in one pass for each agent and model and each part between two `%prune` cells, and their
hashes compared.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Any

from msgbook.messages import RequestHash, encode
from msgbook.notebook.cells import Cell, source_of
from msgbook.request.history.cell import turns_of
from msgbook.request.history.prune import drop_pruned_files, prune_positions
from msgbook.request.history.reader import ReadCell, Reader
from msgbook.request.history.request import View
from msgbook.request.history.summary import known_summaries
from msgbook_format.turn import Turn

ViewOf = Callable[[int, Turn], View | None]
"""Who the turn of a cell was asked of: position of the cell, turn. None where that cannot be said."""


@dataclass(frozen=True, slots=True)
class StaleTurn:
    """A turn that was asked something else."""

    cell: int
    """Position of its cell."""
    changed: tuple[int, ...]
    """Positions of the cells among which the first change stands: all that are sent, or are
    `%prune`, from the nearest turn above that is not stale (its answer), down to the prompt that
    follows it."""
    maybe_system: bool
    """Whether the system message may have changed as well: no turn above with the same agent and
    model says that it has not."""


def stale_turns(cells: Sequence[Cell], reader: Reader, view_of: ViewOf) -> list[StaleTurn]:
    """The turns whose input is no longer what they answered, in document order.

    Turns that kept no hash, because nothing was sent, are not judged.

    Args:
        cells: All cells of the notebook.
        reader: The one that requests are made with, so that what it has read counts.
    """
    marks = prune_positions(cells)
    asked: dict[tuple[View, int], list[tuple[int, Turn, str]]] = defaultdict(list)
    for position, cell in enumerate(cells):
        for turn, recorded in _hashed(cell):
            view = view_of(position, turn)
            if view is not None:
                asked[view, bisect_left(marks, position)].append((position, turn, recorded))
            break
    summaries = known_summaries(cells)
    verdicts: list[tuple[int, View, bool]] = []
    read: list[ReadCell] = []
    for (view, _), turns in asked.items():
        sent = drop_pruned_files(cells, reader.is_magic, at=turns[0][0])
        read = reader.read_cells(sent, view, summaries)
        requests = _Requests(reader, view, read)
        for position, turn, recorded in turns:
            found = requests.hash_of(position, source_of(cells[position]), turn)
            verdicts.append((position, view, found == recorded))
    changes = {i for i, one in enumerate(read) if one.reading.messages}.union(marks)
    return list(_stale(sorted(verdicts, key=lambda verdict: verdict[0]), changes))


def _stale(verdicts: Sequence[tuple[int, View, bool]], changes: Set[int]) -> Iterator[StaleTurn]:
    """The stale ones of turns in document order.

    Args:
        verdicts: Position, view, and whether the request is what it was.
        changes: Positions of the cells that can change what is sent.
    """
    start = 0
    fresh_views: set[View] = set()
    changed: tuple[int, ...] = ()
    for position, view, is_fresh in verdicts:
        if is_fresh:
            start, changed = position, ()
            fresh_views.add(view)
            continue
        if not changed:
            above = (i for i in range(start, position) if i in changes)
            changed = (*above, position)
        yield StaleTurn(position, changed, view not in fresh_views)


class _Requests:
    """The requests of one view, made from the top to the bottom."""

    def __init__(self, reader: Reader, view: View, read: Sequence[ReadCell]) -> None:
        self._reader = reader
        self._view = view
        self._read = read
        self._history, self._first = reader.begin_history(read, view)
        self._position = 0
        self._hash = RequestHash()
        self._hashed = 0

    def hash_of(self, position: int, source: str, turn: Turn) -> str:
        """The hash of the request of a turn in a cell; positions must not fall."""
        self._advance(position)
        # The last message may still grow where roles have to alternate.
        for encoded in self._history.encoded[self._hashed : -1]:
            self._hash.add(encoded)
        self._hashed = max(0, len(self._history.encoded) - 1)
        tail = self._history.tail()
        context: Any = turn.get("context")
        prompt = self._reader.prompt_message(source, context, self._view)
        if prompt is not None:
            tail.add(prompt, encode(prompt), position)
        return self._hash.hexdigest(*tail.encoded)

    def _advance(self, position: int) -> None:
        for owner in range(self._position, position):
            reading = self._read[owner].reading
            if owner >= self._first or not reading.system:
                self._read[owner].add_to(self._history, owner)
        self._position = position


def _hashed(cell: Cell) -> Iterator[tuple[Turn, str]]:
    """The turns of a cell that kept a hash, with it."""
    for turn in turns_of(cell):
        context: Any = turn.get("context")
        recorded = context.get("request_hash") if isinstance(context, dict) else None
        if isinstance(recorded, str):
            yield turn, recorded
